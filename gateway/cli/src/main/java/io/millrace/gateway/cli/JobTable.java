package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Formats a list of jobs as a table with one line for each job. */
final class JobTable {
    private static final List<String> HEAD = List.of(
            "ID", "KIND", "STATE", "DONE", "OBJECTS", "FAILED", "BYTES", "RATE", "STARTED", "TIME", "OWNER", "WHAT");

    private static final String NOTHING = "-";

    private JobTable() {}

    static List<String> lines(List<JobSnapshot> jobs) {
        if (jobs.isEmpty()) {
            return List.of("no jobs");
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        jobs.forEach(job -> rows.add(row(job)));
        return aligned(rows);
    }

    /** Returns a line for each row, with its columns below those of the first. */
    static List<String> aligned(List<List<String>> rows) {
        int[] widths = IntStream.range(0, rows.get(0).size())
                .map(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    /** Describes the source and target of a job as they are written on the command line. */
    static String what(JsonObject request) {
        JsonObject from = request.object("from");
        StringBuilder what = new StringBuilder(from.text("bucket").isEmpty() ? urls(from) : location(from));
        for (String name : List.of("template", "manifest", "failuresOf", "glob", "regex")) {
            if (!from.text(name).isEmpty()) {
                what.append(' ').append(name).append('=').append(withoutQuery(from.text(name)));
            }
        }
        JsonObject to = request.object("to");
        if (!to.text("bucket").isEmpty()) {
            what.append(" to ").append(location(to));
        }
        return TerminalEscaper.escape(what.toString().strip());
    }

    private static String urls(JsonObject from) {
        List<?> urls = from.fields().get("urls") instanceof List<?> list ? list : List.of();
        if (urls.isEmpty()) {
            return "";
        }
        String first = withoutQuery(String.valueOf(urls.get(0)));
        return urls.size() == 1 ? first : "%s and %d more".formatted(first, urls.size() - 1);
    }

    /** A URL's query may hold a signature. */
    private static String withoutQuery(String text) {
        return text.contains("://") ? text.replaceFirst("\\?.*", "") : text;
    }

    private static String location(JsonObject place) {
        return new S3Location(place.text("bucket"), place.text("prefix")).toString();
    }

    private static List<String> row(JobSnapshot job) {
        return List.of(
                TerminalEscaper.escape(job.id()),
                TerminalEscaper.escape(job.kind()) + (job.isDryRun() ? " (dry run)" : ""),
                TerminalEscaper.escape(job.state()),
                percent(job),
                objects(job),
                HumanReadable.count(job.failed()),
                HumanReadable.bytes(bytes(job)),
                JobProgressText.rate(job).orElse(NOTHING),
                started(job),
                HumanReadable.duration(Duration.ofMillis(job.activeMillis())),
                TerminalEscaper.escape(job.json().text("owner")),
                what(job.json().object("request")));
    }

    /** At the end of a job, what has failed is not done. */
    private static String percent(JobSnapshot job) {
        if (job.isDryRun() || job.percent().isEmpty()) {
            return NOTHING;
        }
        return HumanReadable.percent(
                job.isActive() || job.failed() == 0
                        ? job.percent().getAsDouble()
                        : 100.0 * passed(job) / Math.max(1, job.found()));
    }

    /** Returns how many objects have passed, as {@link #percent} counts them. */
    private static long passed(JobSnapshot job) {
        return job.isActive() ? job.finished() : job.finished() - job.failed();
    }

    private static long bytes(JobSnapshot job) {
        if (job.isDryRun()) {
            return job.foundBytes();
        }
        return job.isActive() ? job.passedBytes() : job.passedBytes() - job.failedBytes();
    }

    /** A dry run only finds objects. */
    private static String objects(JobSnapshot job) {
        String found = HumanReadable.count(job.found()) + (job.isCounted() ? "" : "+");
        return job.isDryRun() ? found + " found" : HumanReadable.count(passed(job)) + "/" + found;
    }

    private static String started(JobSnapshot job) {
        String started = job.json().text("started");
        return started.isEmpty() ? NOTHING : TerminalEscaper.escape(started.replaceFirst("\\.[0-9]+", ""));
    }

    private static String line(List<String> row, int[] widths) {
        return IntStream.range(0, row.size())
                .mapToObj(column -> row.get(column)
                        + " ".repeat(widths[column] - row.get(column).length()))
                .collect(Collectors.joining("  "))
                .stripTrailing();
    }
}
