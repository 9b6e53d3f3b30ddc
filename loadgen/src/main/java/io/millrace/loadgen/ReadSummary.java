package io.millrace.loadgen;

import io.millrace.loadgen.GetResult.End;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Summary of all GET requests of a load test, formatted as {@code name=value} lines. Times are those of GETs that
 * returned the right bytes.
 */
record ReadSummary(List<GetResult> gots, long nanos) {
    long wrong() {
        return count(End.WRONG);
    }

    long failed() {
        return count(End.FAILED);
    }

    /** Returns a line for each GET that returned the right bytes: its end in ms since 1970 and its key. */
    List<String> completed() {
        return gots.stream()
                .filter(result -> result.end() == End.RIGHT)
                .map(result -> result.at() + " " + result.target().object().key())
                .toList();
    }

    String text() {
        long bytes = gots.stream().mapToLong(GetResult::bytes).sum();
        double seconds = nanos / 1e9;
        String text =
                "right=%d%nfailed=%d%nwrong=%d%nhits=%d%nbytes=%d%nseconds=%.3f%nMiB_per_second=%.1f%nobjects_per_second=%.1f%n"
                        .formatted(
                                count(End.RIGHT),
                                failed(),
                                wrong(),
                                gots.stream()
                                        .filter(result -> result.end() == End.RIGHT && result.hit())
                                        .count(),
                                bytes,
                                seconds,
                                bytes / seconds / (1 << 20),
                                count(End.RIGHT) / seconds);
        return text + times("first_byte", GetResult::firstByteNanos) + times("whole", GetResult::nanos) + faults();
    }

    private long count(End end) {
        return gots.stream().filter(result -> result.end() == end).count();
    }

    private String times(String name, ToLongFunction<GetResult> time) {
        long[] sorted = gots.stream()
                .filter(result -> result.end() == End.RIGHT)
                .mapToLong(time)
                .sorted()
                .toArray();
        return Arrays.stream(new double[] {0.5, 0.99, 1})
                .mapToObj(share -> "%s_ms_p%.0f=%.2f%n".formatted(name, share * 100, at(sorted, share) / 1e6))
                .collect(Collectors.joining());
    }

    private static long at(long[] sorted, double share) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    private String faults() {
        return gots.stream()
                .filter(result -> result.end() != End.RIGHT)
                .limit(3)
                .map(result -> "fault=%s %s: %s%n"
                        .formatted(result.end().name().toLowerCase(Locale.ROOT), result.target(), result.fault()))
                .collect(Collectors.joining());
    }
}
