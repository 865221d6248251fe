#!/usr/bin/env python3
"""A matrix product and a copy timed without this project's code, and the comparison with three calibration runs.

Python's standard library and the driver alone: libcuda for the copy (the driver's own, device to device), libcublas for the
product where there is one, PyTorch as a third witness where it is installed. Called by gpu-check.sh with its folder.
Exit code 0 when all comparisons held, 6 when one did not, 1 when nothing could be compared.
"""

import array
import ctypes
import glob
import json
import os
import random
import statistics
import sys

SIDE = 8192
MOST_COPY_BYTES = 1 << 30
AGREEMENT = 0.03  # with the independent figure
SPREAD = 0.01  # between runs


class Cuda:
    """The driver's functions that are needed, each checked."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            raise OSError(f"{name} gives {code}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address

    def fill_random(self, address, size):
        """16-bit floats, normal, upper halves of 32-bit ones: an 8 MiB pattern again and again."""
        generator = random.Random(7)
        one = array.array("f", (generator.gauss(0, 1) for _ in range(1 << 20)))
        pattern = bytearray(2 * len(one))
        raw = one.tobytes()
        pattern[0::2], pattern[1::2] = raw[2::4], raw[3::4]
        block = bytes(pattern) * 4
        for start in range(0, size, len(block)):
            part = min(len(block), size - start)
            self.call(
                "cuMemcpyHtoDAsync_v2", ctypes.c_uint64(address.value + start), block, ctypes.c_size_t(part), self.stream
            )
        self.call("cuStreamSynchronize", self.stream)

    def time(self, action, batches=7, seconds=0.15):
        """Median seconds of one execution, over batches after a warm-up."""
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            self.call("cuEventCreate", ctypes.byref(event), 0)

        def batch(count):
            self.call("cuEventRecord", events[0], self.stream)
            for _ in range(count):
                action()
            self.call("cuEventRecord", events[1], self.stream)
            self.call("cuStreamSynchronize", self.stream)
            elapsed = ctypes.c_float()
            self.call("cuEventElapsedTime", ctypes.byref(elapsed), events[0], events[1])
            return elapsed.value / 1e3 / count

        each = max(batch(3), 1e-7)
        count = max(1, int(seconds / each))
        # As long again as the timed batches, so that the clocks are those of work.
        for _ in range(batches):
            batch(count)
        return statistics.median(batch(count) for _ in range(batches))


def product_rate(cuda):
    """FLOP per second of an 8192-cube BF16 (FP16 before Ampere) product through cuBLAS; None without it."""
    names = ["libcublas.so.13", "libcublas.so.12", "libcublas.so.11"]
    for root in sys.path + ["/usr/local"]:
        for pattern in ["nvidia/cublas/lib", "nvidia/cu13/lib", "cuda*/lib64"]:
            for folder in sorted(glob.glob(os.path.join(root, pattern)), reverse=True):
                names += [os.path.join(folder, n) for n in ["libcublas.so.13", "libcublas.so.12", "libcublas.so.11"]]
    library = None
    for name in names:
        try:
            if os.path.isabs(name):
                ctypes.CDLL(name.replace("libcublas.so", "libcublasLt.so"), mode=ctypes.RTLD_GLOBAL)
            library = ctypes.CDLL(name)
            break
        except OSError:
            continue
    if library is None:
        return None
    handle = ctypes.c_void_p()
    if library.cublasCreate_v2(ctypes.byref(handle)) != 0:
        return None
    library.cublasSetStream_v2(handle, cuda.stream)
    size = SIDE * SIDE * 2
    a, b, c = cuda.allocate(size), cuda.allocate(size), cuda.allocate(size)
    cuda.fill_random(a, size)
    cuda.fill_random(b, size)
    one, zero = ctypes.c_float(1), ctypes.c_float(0)
    major = ctypes.c_int()
    cuda.call("cuDeviceGetAttribute", ctypes.byref(major), 75, 0)
    kind = 14 if major.value >= 8 else 2

    def multiply():
        code = library.cublasGemmEx(
            handle, 0, 0, SIDE, SIDE, SIDE, ctypes.byref(one), a, kind, SIDE, b, kind, SIDE,
            ctypes.byref(zero), c, kind, SIDE, 68, -1,
        )  # fmt: skip
        if code != 0:
            raise OSError(f"cublasGemmEx gives {code}")

    return 2 * SIDE**3 / cuda.time(multiply)


def copy_rate(cuda):
    """Bytes read and written per second by the driver's device-to-device copy."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    cuda.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    count = min(MOST_COPY_BYTES, free.value // 4)
    a, b = cuda.allocate(count), cuda.allocate(count)
    cuda.fill_random(a, count)
    size = ctypes.c_size_t(count)
    return 2 * count / cuda.time(lambda: cuda.call("cuMemcpyDtoDAsync_v2", b, a, size, cuda.stream))


def torch_rates():
    """Product and copy by PyTorch, or None."""
    try:
        import torch
    except ImportError:
        return None
    if not torch.cuda.is_available():
        return None
    kind = torch.bfloat16 if torch.cuda.get_device_capability()[0] >= 8 else torch.float16
    a, b = (torch.randn(SIDE, SIDE, device="cuda", dtype=kind) for _ in range(2))
    x = torch.randn(MOST_COPY_BYTES // 4, device="cuda")
    y = torch.empty_like(x)

    def seconds(action, count):
        times = []
        for batch in range(10):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            for _ in range(count):
                action()
            end.record()
            torch.cuda.synchronize()
            if batch >= 5:
                times.append(start.elapsed_time(end) / 1e3 / count)
        return statistics.median(times)

    return 2 * SIDE**3 / seconds(lambda: a @ b, 60), 2 * MOST_COPY_BYTES / seconds(lambda: y.copy_(x), 60)


def of_trace(path):
    """Product and copy rate of one calibration run: median over rounds of the median of a round's batches."""
    rounds = {}
    source = "unknown"
    for line in open(path, encoding="utf-8"):
        record = json.loads(line)
        if record["kind"] == "run":
            source = record["device"]["product_source"]
        if record["kind"] == "sample" and record["item"].split()[0] in ("product", "stream"):
            each = record["elapsed_s"] / record["count"]
            rounds.setdefault(record["item"], {}).setdefault(record["round"], []).append(each)
    value = lambda item: statistics.median(statistics.median(batches) for batches in rounds[item].values())
    cube = f"{SIDE}x{SIDE}x{SIDE}"
    products = [f"product {kind} NN {cube}" for kind in ("bf16", "fp16") if f"product {kind} NN {cube}" in rounds]
    copies = sorted((int(item.split()[2]), item) for item in rounds if item.startswith("stream copy "))
    product = 2 * SIDE**3 / value(products[0]) if products else None
    copy = 2 * copies[-1][0] / value(copies[-1][1]) if copies else None
    return product, copy, source


def main():
    folder = sys.argv[1]
    paths = sorted(glob.glob(os.path.join(folder, "run-*.jsonl")))
    if not paths:
        print("did not run: there is no trace to compare with")
        return 1
    runs = [of_trace(path) for path in paths]
    cuda = Cuda()
    witnesses = {"driver and cuBLAS": (product_rate(cuda), copy_rate(cuda))}
    if (torch := torch_rates()) is not None:
        witnesses["PyTorch"] = torch
    json.dump({"runs": runs, "witnesses": witnesses}, open(os.path.join(folder, "independent.json"), "w"), indent=1)

    held = True
    for place, (name, unit) in enumerate([("8192-cube product", "TFLOP/s"), ("device-to-device copy", "TB/s")]):
        found = [run[place] for run in runs if run[place]]
        if not found:
            print(f"did not run: {name} is in no trace")
            continue
        middle = statistics.median(found)
        spread = (max(found) - min(found)) / middle
        good = spread <= SPREAD or len(found) < 2
        held = held and good
        print(f"{name}: {middle / 1e12:.4g} {unit} by {runs[0][2] if place == 0 else 'our kernel'}, ", end="")
        print(f"spread of {len(found)} runs {spread:.2%} ({'held' if good else 'FAILED'}: at most {SPREAD:.0%})")
        for witness, rates in witnesses.items():
            if rates[place] is None:
                print(f"  did not run: {witness} has no such figure here")
                continue
            off = middle / rates[place] - 1
            # A kernel of our own is a lower bound, and a better copy kernel is no fault.
            bound = (place == 0 and runs[0][2] == "builtin") or (place == 1 and off > 0)
            good = abs(off) <= AGREEMENT or bound
            held = held and good
            word = "lower bound or better, not judged" if bound and abs(off) > AGREEMENT else "held" if good else "FAILED"
            print(f"  {witness}: {rates[place] / 1e12:.4g} {unit}, ours is {off:+.2%} of it ({word}: within {AGREEMENT:.0%})")
    return 0 if held else 6


if __name__ == "__main__":
    sys.exit(main())
