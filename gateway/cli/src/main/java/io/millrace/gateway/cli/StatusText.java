package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The text of {@code millrace status}: alarms first, then a line for the cache and each disk, backend and bucket. What
 * an alarm says is not said again in the line of what it is about.
 */
final class StatusText {
    /** The states of a backend whose alarm has the failure of each call. */
    private static final Set<String> DOWN = Set.of("fails", "rejects");

    private final List<String> lines = new ArrayList<>();
    private Set<String> said = Set.of();

    private StatusText() {}

    /** @param status with the fields of the lists of backends and alarms */
    static String of(JsonObject status) {
        StatusText text = new StatusText();
        text.add(status);
        return String.join(System.lineSeparator(), text.lines);
    }

    private void add(JsonObject status) {
        lines.add(TerminalEscaper.escape("Millrace %s, up for %s, serves S3 on port %s"
                .formatted(
                        status.text("version"),
                        HumanReadable.duration(Duration.ofSeconds(status.number("uptimeSeconds"))),
                        status.text("s3Port"))));
        lines.addAll(AlarmsCommand.lines(status));
        said = status.objects("alarms").stream()
                .map(alarm -> alarm.text("message"))
                .collect(Collectors.toSet());
        if (status.has("cache")) {
            addCache(status.object("cache"));
        } else {
            line("cache", "none: every read goes to its backend", "");
        }
        addHits(status.object("reads"));
        status.object("cache").objects("disks").forEach(this::addDisk);
        status.objects("backends").forEach(this::addBackend);
        addResidencies(status.object("cache"));
        addSavings(status.objects("saved"));
    }

    private void addCache(JsonObject cache) {
        line(
                "cache",
                "%s in %s blocks"
                        .formatted(
                                HumanReadable.bytesFraction(cache.number("used"), cache.number("available")),
                                HumanReadable.count(cache.number("records"))),
                cache.number("available") < cache.number("capacity")
                        ? "%s in the settings".formatted(HumanReadable.bytes(cache.number("capacity")))
                        : "");
    }

    /** Adds how many of the reads of clients were hits, whoever has filled the cache. */
    private void addHits(JsonObject reads) {
        long hits = reads.number("hits");
        long misses = reads.number("misses");
        long stale = reads.number("stale");
        long bypassed = reads.number("bypassed");
        long all = hits + misses + stale + bypassed;
        if (all > 0) {
            line(
                    "hits",
                    "%s of %s GETs since the start; misses %s, stale %s, past the cache %s"
                            .formatted(
                                    HumanReadable.percent(100.0 * hits / all),
                                    HumanReadable.count(all),
                                    HumanReadable.count(misses),
                                    HumanReadable.count(stale),
                                    HumanReadable.count(bypassed)),
                    "");
        }
    }

    private void addDisk(JsonObject disk) {
        line(
                "disk",
                "%s  %s  %s"
                        .formatted(
                                disk.text("path"),
                                disk.text("state"),
                                HumanReadable.bytesFraction(disk.number("used"), disk.number("available"))),
                unsaid(disk.text("why")));
    }

    private void addBackend(JsonObject backend) {
        JsonObject calls = backend.object("lastMinute");
        line(
                "backend",
                "%s  %s  %s calls, %s errors in the last minute"
                        .formatted(
                                backend.text("name"),
                                backend.text("state"),
                                HumanReadable.count(calls.number("calls")),
                                HumanReadable.count(calls.number("errors"))),
                unsaid(backend.text("message")));
        if (!DOWN.contains(backend.text("state"))) {
            addFailure(backend);
        }
        for (JsonObject bucket : backend.objects("buckets")) {
            String there = bucket.text("backendBucket");
            line(
                    "bucket",
                    "%s  %s%s"
                            .formatted(
                                    bucket.text("bucket"),
                                    bucket.text("state"),
                                    there.equals(bucket.text("bucket")) ? "" : "  there " + there),
                    unsaid(bucket.text("message")));
            addFailure(bucket);
        }
    }

    /** Adds what is cached of each bucket and tracked prefix; that nothing is, once for all. */
    private void addResidencies(JsonObject cache) {
        List<JsonObject> all = cache.objects("residency");
        boolean isEmpty =
                cache.flag("residencyComplete") && all.stream().allMatch(counted -> counted.number("blocks") == 0);
        if (isEmpty && !all.isEmpty()) {
            line("cached", "nothing yet of any bucket", "");
        } else {
            all.forEach(this::addResidency);
        }
    }

    private void addResidency(JsonObject counted) {
        line(
                "cached",
                "s3://%s/%s  %s in %s blocks%s"
                        .formatted(
                                counted.text("bucket"),
                                counted.text("prefix"),
                                HumanReadable.bytes(counted.number("cachedBytes")),
                                HumanReadable.count(counted.number("blocks")),
                                counted.has("quotaBytes")
                                        ? ", quota " + HumanReadable.bytes(counted.number("quotaBytes"))
                                        : ""),
                "");
    }

    /** Adds the savings of each bucket that was read; that none was, once for all. */
    private void addSavings(List<JsonObject> saved) {
        List<JsonObject> used = saved.stream().filter(StatusText::hasTraffic).toList();
        if (used.isEmpty() && !saved.isEmpty()) {
            line("saved", "nothing yet: since the start nothing was read, by clients or from backends", "");
        }
        used.forEach(this::addSaved);
    }

    /** A request that failed was read by nobody, and a name that was mistyped once would stay in the list. */
    private static boolean hasTraffic(JsonObject saved) {
        return saved.number("servedBytes") > 0 || saved.number("fetchedBytes") > 0 || saved.number("requestsSaved") > 0;
    }

    private void addSaved(JsonObject saved) {
        String bucket = saved.text("bucket").isEmpty() ? "(others)" : saved.text("bucket");
        line("saved", "%s  %s%s".formatted(bucket, savings(saved), money(saved)), "");
    }

    /**
     * Says how much more clients read than was fetched from the backend. What is fetched ahead of its readers, by a
     * prefetch for instance, may be as much or more: then nothing is saved yet, though their reads are hits.
     */
    private static String savings(JsonObject saved) {
        long served = saved.number("requestsServed");
        boolean isNothing = saved.number("requestsSaved") <= 0 && saved.number("savedBytes") <= 0;
        return isNothing
                ? ("nothing yet: since the start clients have read %s (requests: %s), and %s were fetched from the"
                                + " backend for them or ahead of them (requests: %s)")
                        .formatted(
                                HumanReadable.bytes(saved.number("servedBytes")),
                                HumanReadable.count(served),
                                HumanReadable.bytes(saved.number("fetchedBytes")),
                                HumanReadable.count(saved.number("requestsSent")))
                : "%s of %s requests to the backend, %s of %s"
                        .formatted(
                                HumanReadable.count(Math.max(0, saved.number("requestsSaved"))),
                                HumanReadable.count(served),
                                HumanReadable.bytes(Math.max(0, saved.number("savedBytes"))),
                                HumanReadable.bytes(saved.number("servedBytes")));
    }

    private static String money(JsonObject saved) {
        return saved.fields().get("moneySaved") instanceof Number money && money.doubleValue() > 0
                ? ", " + HumanReadable.money(money.doubleValue())
                : "";
    }

    /** Adds the last failure of a backend or bucket, unless that is what is wrong with it now. */
    private void addFailure(JsonObject failed) {
        JsonObject failure = failed.object("lastFailure");
        if (failure.has("message") && !failed.text("message").contains(failure.text("message"))) {
            line(
                    "",
                    "last failure at %s: %s".formatted(HumanReadable.time(failure.text("at")), failure.text("message")),
                    "");
        }
    }

    /** Returns why something is as it is; empty if its alarm has said that. */
    private String unsaid(String why) {
        return said.contains(why) ? "" : why;
    }

    private void line(String what, String words, String why) {
        lines.add(TerminalEscaper.escape("%-8s %s%s".formatted(what, words, why.isEmpty() ? "" : "  (" + why + ")")));
    }
}
