package io.millrace.loadgen;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints the progress of a phase: a line that is overwritten on a terminal, a new one every ten seconds elsewhere. */
final class LiveLine implements ProgressListener {
    private static final double MIB = 1 << 20;
    private static final int SECONDS_PER_LINE = 10;
    private static final int WIDTH = 100;

    private final PrintWriter out;
    private final boolean isTerminal;
    private double printedAt = -SECONDS_PER_LINE;

    LiveLine(PrintWriter out, boolean isTerminal) {
        this.out = out;
        this.isTerminal = isTerminal;
    }

    @Override
    public void onInterval(String phase, SeriesPoint point, boolean isWarmUp) {
        double at = point.atSecond() + point.seconds();
        if (at < printedAt) {
            printedAt = -SECONDS_PER_LINE; // another phase
        }
        if (isTerminal) {
            String line = text(phase, point, isWarmUp);
            out.print('\r' + line + " ".repeat(Math.max(0, WIDTH - line.length())));
        } else if (at >= printedAt + SECONDS_PER_LINE) {
            out.println(text(phase, point, isWarmUp));
            printedAt = at;
        }
        out.flush();
    }

    /** Clears the line, so that a table can follow. */
    void clear() {
        if (isTerminal) {
            out.print('\r' + " ".repeat(WIDTH) + '\r');
            out.flush();
        }
    }

    private static String text(String phase, SeriesPoint point, boolean isWarmUp) {
        double seconds = Math.max(1e-3, point.seconds());
        return String.format(
                Locale.ROOT,
                "%s%s %.0f s: %,.0f/s, %.1f MiB/s, p50 %.2f ms, p99 %.2f ms, %,d failed",
                phase,
                isWarmUp ? " (warm-up)" : "",
                point.atSecond() + point.seconds(),
                point.right() / seconds,
                point.bytes() / seconds / MIB,
                point.p50Ms(),
                point.p99Ms(),
                point.failed());
    }
}
