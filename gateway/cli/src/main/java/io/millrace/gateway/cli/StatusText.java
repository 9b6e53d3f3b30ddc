package io.millrace.gateway.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The text of {@code millrace status}: alarms first, then a line for the cache and each disk, backend and bucket. */
final class StatusText {
    private final List<String> lines = new ArrayList<>();

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
        if (status.has("cache")) {
            addCache(status.object("cache"));
        } else {
            line("cache", "none: every read goes to its backend", "");
        }
        addHits(status.objects("saved"));
        status.object("cache").objects("disks").forEach(this::addDisk);
        status.objects("backends").forEach(this::addBackend);
        status.object("cache").objects("residency").forEach(this::addResidency);
        status.objects("saved").forEach(this::addSaved);
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

    /** Adds how much of what clients have read did not come from backends. */
    private void addHits(List<JsonObject> saved) {
        long served = saved.stream().mapToLong(one -> one.number("servedBytes")).sum();
        long saves = saved.stream().mapToLong(one -> one.number("savedBytes")).sum();
        if (served > 0) {
            line(
                    "hits",
                    "%s of %s since the start came from the cache"
                            .formatted(
                                    HumanReadable.percent(Math.max(0, 100.0 * saves / served)),
                                    HumanReadable.bytes(served)),
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
                disk.text("why"));
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
                backend.text("message"));
        addFailure(backend.object("lastFailure"));
        for (JsonObject bucket : backend.objects("buckets")) {
            String there = bucket.text("backendBucket");
            line(
                    "bucket",
                    "%s  %s%s"
                            .formatted(
                                    bucket.text("bucket"),
                                    bucket.text("state"),
                                    there.equals(bucket.text("bucket")) ? "" : "  there " + there),
                    bucket.text("message"));
            addFailure(bucket.object("lastFailure"));
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

    private void addSaved(JsonObject saved) {
        line(
                "saved",
                "%s  %s of %s requests, %s of %s%s"
                        .formatted(
                                saved.text("bucket").isEmpty() ? "(others)" : saved.text("bucket"),
                                HumanReadable.count(saved.number("requestsSaved")),
                                HumanReadable.count(saved.number("requestsServed")),
                                HumanReadable.bytes(saved.number("savedBytes")),
                                HumanReadable.bytes(saved.number("servedBytes")),
                                saved.fields().get("moneySaved") instanceof Number money
                                        ? ", " + HumanReadable.money(money.doubleValue())
                                        : ""),
                "");
    }

    private void addFailure(JsonObject failure) {
        if (failure.has("message")) {
            line(
                    "",
                    "last failure at %s: %s".formatted(HumanReadable.time(failure.text("at")), failure.text("message")),
                    "");
        }
    }

    private void line(String what, String words, String why) {
        lines.add(TerminalEscaper.escape("%-8s %s%s".formatted(what, words, why.isEmpty() ? "" : "  (" + why + ")")));
    }
}
