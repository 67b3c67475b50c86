#!/usr/bin/env python3
"""Answers one HTTPS request with a self-signed certificate: prints its port,
ends after the second connection or some minutes."""

import pathlib
import socket
import ssl

context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(pathlib.Path(__file__).with_name("self_signed.pem"))
listener = socket.create_server(("127.0.0.1", 0))
listener.settimeout(250)
print(listener.getsockname()[1], flush=True)
for _ in range(2):
    raw, _ = listener.accept()
    raw.settimeout(250)
    try:
        with context.wrap_socket(raw, server_side=True) as connection:
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    except OSError:
        pass  # the client did not like the certificate
