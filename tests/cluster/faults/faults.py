"""Faults: generators that begin one, give what it is and for how many seconds it stays, and then end it."""

import signal

import network
import world as rig


def seconds(rng):
    """Shorter or longer than a lease."""
    return rng.choice([rng.uniform(0.1, 1.5), rng.uniform(rig.LEASE + 0.5, rig.LEASE + 3)])


def killed(world, node, rng):
    node.end(signal.SIGKILL)
    yield f"kill -9 of {node.name}", seconds(rng)
    node.start_again()


def ended(world, node, rng):
    node.end()
    yield f"SIGTERM of {node.name}", rng.uniform(0, 1)
    node.start_again()


def stopped(world, node, rng):
    node.send(signal.SIGSTOP)
    yield f"SIGSTOP of {node.name}", seconds(rng)
    node.send(signal.SIGCONT)


def cut_from_database(world, node, rng):
    way = rng.choice(["both ways", "to it", "from it"])
    heal = []
    if way != "to it":
        heal.append(network.drop(node.place.enter, "-p", "tcp", "--sport", str(node.port)))
    if way != "from it":
        heal.append(world.drop_from(node, "-p", "tcp", "--dport", str(node.port)))
    yield f"{node.name} cut from the database, {way}", seconds(rng)
    for each in heal:
        each()


def cut_from_node(world, node, rng):
    other = rng.choice([each for each in world.nodes if each is not node])
    way = rng.choice(["both ways", "one way"])
    heal = [network.drop(node.place.enter, "-s", other.place.address)]
    if way == "both ways":
        heal.append(network.drop(other.place.enter, "-s", node.place.address))
    yield f"{node.name} cut from {other.name}, {way}", seconds(rng)
    for each in heal:
        each()


def cut_off(world, node, rng):
    heal = network.drop(node.place.enter)
    yield f"{node.name} gets nothing", seconds(rng)
    heal()


def lossy(world, node, rng):
    share = rng.uniform(0.05, 0.4)
    rule = ["-m", "statistic", "--mode", "random", "--probability", f"{share:.2f}"]
    heal = [network.drop(node.place.enter, *rule), world.drop_from(node, *rule)]
    yield f"{node.name} loses {share:.0%} of packets", seconds(rng)
    for each in heal:
        each()


def slow(world, node, rng):
    kbit = rng.choice([64, 256, 1000])
    heal = node.place.slow(kbit)
    yield f"{node.name} sends {kbit} kbit/s", seconds(rng)
    heal()


def delayed(world, node, rng):
    node = next(each for each in world.nodes if each.proxy)
    delay = rng.uniform(0.02, 0.5)
    node.proxy.tell(f"delay {delay}")
    yield f"{node.name} and the database are {delay * 1000:.0f} ms apart", seconds(rng)
    node.proxy.tell("delay 0")


def answers_lost(world, node, rng):
    node = next(each for each in world.nodes if each.proxy)
    node.proxy.tell("swallow")
    yield f"{node.name} gets no answer of the database", seconds(rng)
    node.proxy.tell("delay 0")


def clock_moved(world, node, rng):
    moved = rng.choice([-1, 1]) * rng.choice([1, 60, 3600, 86400])
    node.move_clock(moved)
    yield f"the clock of {node.name} is off by {moved} s", seconds(rng)
    if rng.random() < 0.5:
        node.move_clock(0)


def backend_killed(world, node, rng):
    world.database.kill_backend(rng)
    yield "kill -9 of a backend", rng.uniform(0, 1)


def backends_ended(world, node, rng):
    if world.database.process.poll() is None:
        world.database.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                            f"WHERE client_addr = '{node.place.address}' AND pid <> pg_backend_pid()")
    yield f"connections of {node.name} ended", rng.uniform(0, 1)


def postmaster_killed(world, node, rng):
    world.database.kill(signal.SIGKILL)
    yield "kill -9 of the postmaster", seconds(rng)
    world.database.start()


def database_ended(world, node, rng):
    world.database.kill(rng.choice([signal.SIGINT, signal.SIGQUIT]))
    yield "the database is stopped", seconds(rng)
    world.database.start()


# Those twice that make a former owner, which knows nothing of that, more than others do.
OF_NODES = [killed, ended, stopped, stopped, cut_from_database, cut_from_database, cut_from_node, cut_off,
            lossy, slow, delayed, answers_lost, clock_moved, backends_ended]
OF_THE_DATABASE = [backend_killed, postmaster_killed, database_ended]
OF_THE_PROXY = [delayed, answers_lost]
