package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.object.ByteRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The sizes of the parts of a multipart object in order, stored as runs of equal sizes. */
record PartSizes(List<SizeRun> runs) {
    /** The sizes for an object that was not uploaded in parts. */
    static final PartSizes NONE = new PartSizes(List.of());

    /** A number of consecutive parts of the same size in bytes. */
    record SizeRun(int count, long size) {}

    PartSizes {
        runs = List.copyOf(runs);
    }

    static PartSizes of(List<Long> sizes) {
        List<SizeRun> runs = new ArrayList<>();
        for (long size : sizes) {
            SizeRun last = runs.isEmpty() ? new SizeRun(0, size) : runs.remove(runs.size() - 1);
            if (last.size() == size) {
                runs.add(new SizeRun(last.count() + 1, size));
            } else {
                runs.add(last);
                runs.add(new SizeRun(1, size));
            }
        }
        return new PartSizes(runs);
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    int count() {
        return runs.stream().mapToInt(SizeRun::count).sum();
    }

    /** Returns the offset of part {@code number}, counted from 1; after the last part, the size of the object. */
    long offset(int number) {
        long offset = 0;
        int left = number - 1;
        for (SizeRun run : runs) {
            int whole = Math.min(left, run.count());
            offset += whole * run.size();
            left -= whole;
        }
        return offset;
    }

    /**
     * Returns the bytes of a part of an object of {@code size} bytes; empty if it has none. What was not uploaded in
     * parts has one.
     *
     * @throws BackendException if there is no such part, or nothing in it
     */
    Optional<ByteRange> range(int number, long size) {
        if (isEmpty()) {
            return ReadDecision.onlyPart(number, size);
        }
        if (number < 1 || number > count()) {
            throw new BackendException(FailureKind.INVALID_PART, "no part %d of %d".formatted(number, count()));
        }
        if (size == 0) {
            return Optional.empty();
        }
        long first = offset(number);
        long end = number == count() ? size : offset(number + 1);
        if (first == end) {
            throw new BackendException(FailureKind.INVALID_RANGE, "part %d is empty".formatted(number))
                    .withObjectSize(size);
        }
        return Optional.of(new ByteRange(first, end - 1));
    }

    /** Formats the runs as count and size: {@code 9999*5242880 1*77}. */
    String format() {
        return runs.stream().map(run -> run.count() + "*" + run.size()).collect(Collectors.joining(" "));
    }

    /**
     * Parses the result of {@link #format}.
     *
     * @throws IllegalArgumentException if the text is malformed
     * @throws IndexOutOfBoundsException if the text is malformed
     */
    static PartSizes parse(String text) {
        return new PartSizes(Stream.of(text.split(" ", -1))
                .map(run -> run.split("\\*", -1))
                .map(words -> new SizeRun(Integer.parseInt(words[0]), Long.parseLong(words[1])))
                .toList());
    }
}
