"""Writes mean.cpp. The next version follows from the last words of the compiler or the reviewer."""
import json
import sys

FIRST = """int mean(const std::vector<int>& all) {
  int sum = 0;
  for (int each : all)
    sum += each;
  return sum / all.size();
}
"""
COMPILES = "#include <vector>\n\n" + FIRST.replace("all.size()", "static_cast<int>(all.size())")
RIGHT = COMPILES.replace("  int sum", "  if (all.empty())\n    return 0;\n  int sum")

request = json.load(sys.stdin)
said = [each["content"] for each in request["dialog"]]
known = {each["resource_id"]: each for each in request["workspace"]["resources"]}
if any("fails" in each for each in said):
    text, words = RIGHT, "an empty list has the mean 0"
elif any("error:" in each for each in said):
    text, words = COMPILES, "the include was missing"
else:
    text, words = FIRST, "the first version"
version = known["mean.cpp"]["version"] if "mean.cpp" in known else 0
print(json.dumps({"content": words, "writes": [{
    "resource_type": "file", "resource_id": "mean.cpp", "base_version": version, "value": text}]}))
