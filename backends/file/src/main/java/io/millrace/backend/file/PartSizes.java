package io.millrace.backend.file;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The sizes of an object's parts in their order, as runs of equal ones: 10,000 parts are two runs as a rule.
 */
record PartSizes(List<Run> runs) {
    /** Of an object that was not made of parts. */
    static final PartSizes NONE = new PartSizes(List.of());

    /** So many parts of so many bytes each. */
    record Run(int count, long size) {}

    PartSizes {
        runs = List.copyOf(runs);
    }

    static PartSizes of(List<Long> sizes) {
        List<Run> runs = new ArrayList<>();
        for (long size : sizes) {
            Run last = runs.isEmpty() ? new Run(0, size) : runs.remove(runs.size() - 1);
            if (last.size() == size) {
                runs.add(new Run(last.count() + 1, size));
            } else {
                runs.add(last);
                runs.add(new Run(1, size));
            }
        }
        return new PartSizes(runs);
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    int count() {
        return runs.stream().mapToInt(Run::count).sum();
    }

    /** Where part {@code number} begins, counted from 1; behind the last, the size of the object. */
    long beginning(int number) {
        long offset = 0;
        int left = number - 1;
        for (Run run : runs) {
            int whole = Math.min(left, run.count());
            offset += whole * run.size();
            left -= whole;
        }
        return offset;
    }

    /** As text, count and size of each run: {@code 9999*5242880 1*77}. */
    String text() {
        return runs.stream().map(run -> run.count() + "*" + run.size()).collect(Collectors.joining(" "));
    }

    /**
     * @throws IllegalArgumentException if this is no such text
     * @throws IndexOutOfBoundsException if this is no such text
     */
    static PartSizes parse(String text) {
        return new PartSizes(Stream.of(text.split(" ", -1))
                .map(run -> run.split("\\*", -1))
                .map(words -> new Run(Integer.parseInt(words[0]), Long.parseLong(words[1])))
                .toList());
    }
}
