"""An oracle that dies after so many questions, also where it is started anew, unless the file `well` is there.

Arguments: how many, where to count them, the command of the oracle itself.
"""
import os, subprocess, sys

most, counted = int(sys.argv[1]), sys.argv[2]
child = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in sys.stdin.buffer:
    with open(counted, "ab") as asked:
        asked.write(b"." * line.count(b'"score"'))
    if os.path.getsize(counted) > most and not os.path.exists("well"):
        sys.exit("out of memory")
    child.stdin.write(line)
    child.stdin.flush()
    sys.stdout.buffer.write(child.stdout.readline())
    sys.stdout.flush()
