"""What Python's zoneinfo says of every zone named on standard input, one a line: its transitions and how wall times
around them resolve (PEP 495). Written as JSON lines; reads the directory in PYTHONTZPATH and nothing else."""

import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
FROM, TO = (int((datetime(year, 1, 1, tzinfo=timezone.utc) - EPOCH).total_seconds()) for year in (2024, 2033))
STEP = 3 * 86_400


def offset_at(zone, second):
    moment = EPOCH + timedelta(seconds=second)
    return int(moment.astimezone(zone).utcoffset().total_seconds())


def transitions(zone):
    low, before = FROM, offset_at(zone, FROM)
    while low < TO:
        high = min(low + STEP, TO)
        after = offset_at(zone, high)
        if after != before:
            left, right = low, high
            while right - left > 1:
                middle = (left + right) // 2
                if offset_at(zone, middle) == before:
                    left = middle
                else:
                    right = middle
            yield right, before, after
        low, before = high, after


def both_folds(zone, local_second):
    wall = datetime(1970, 1, 1) + timedelta(seconds=local_second)
    return [
        int((wall.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc) - EPOCH).total_seconds())
        for fold in (0, 1)
    ]


for name in sys.stdin.read().split():
    zone = ZoneInfo(name)
    found = list(transitions(zone))
    walls = []
    for second, before, after in found:
        low, high = second + min(before, after), second + max(before, after)
        for local in (low - 1, low, (low + high) // 2, high - 1, high):
            walls.append([local, *both_folds(zone, local)])
    print(json.dumps({"zone": name, "transitions": [[second, after] for second, _, after in found], "walls": walls}))
