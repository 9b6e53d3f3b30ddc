package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parses the {@code from} field of a download job: URLs, a template, a manifest, or the failures of another job. */
final class DownloadSourceParser {
    private static final int MOST_URLS = 10_000;
    private static final String ONE_WAY =
            "has more than one source: give only one of urls, template, manifest and failuresOf";

    private DownloadSourceParser() {}

    /**
     * Parses the selection of a download.
     *
     * @param to the target bucket, which is the bucket of the selection
     * @throws InvalidJobException if the selection is invalid
     */
    static ObjectSelection selection(RawJobRequest.@Nullable From from, BucketName to) {
        if (from == null) {
            throw new InvalidJobException("from", "is missing: write { \"urls\": [ ... ] }, template or manifest");
        }
        if (from.bucket() != null) {
            throw new InvalidJobException("from.bucket", "is not for downloads: their bucket is to.bucket");
        }
        requireNone(from);
        List<Source> sources = Stream.of(
                        Optional.ofNullable(from.urls()).map(DownloadSourceParser::urls),
                        Optional.ofNullable(from.template()).map(DownloadSourceParser::template),
                        Optional.ofNullable(from.manifest()).map(DownloadSourceParser::manifest),
                        Optional.ofNullable(from.failuresOf()).map(job -> (Source) new Source.FailuresOf(job, "")))
                .flatMap(Optional::stream)
                .toList();
        if (sources.size() != 1) {
            throw new InvalidJobException(
                    "from", sources.isEmpty() ? "has no URLs: give urls, template, manifest or failuresOf" : ONE_WAY);
        }
        return new ObjectSelection(to, sources.get(0), ObjectFilter.ALL);
    }

    private static void requireNone(RawJobRequest.From from) {
        Map<String, Object> others = new HashMap<>();
        put(others, "prefix", from.prefix());
        put(others, "keys", from.keys());
        put(others, "glob", from.glob());
        put(others, "regex", from.regex());
        put(others, "minSize", from.minSize());
        put(others, "maxSize", from.maxSize());
        put(others, "newerThan", from.newerThan());
        put(others, "olderThan", from.olderThan());
        others.keySet().stream().sorted().findFirst().ifPresent(name -> {
            throw new InvalidJobException("from." + name, "is not for downloads: it selects objects of a bucket");
        });
    }

    private static void put(Map<String, Object> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    private static Source urls(List<String> lines) {
        if (lines.isEmpty() || lines.size() > MOST_URLS) {
            throw new InvalidJobException("from.urls", "has 1 to " + MOST_URLS + " URLs; more go into a manifest");
        }
        Map<ObjectKey, Integer> keys = new HashMap<>();
        List<String> own = new ArrayList<>();
        for (String line : lines) {
            int number = own.size() + 1;
            UrlListEntry parsed = parsed(line, number);
            Integer other = keys.put(parsed.key(), number);
            if (other != null) {
                throw new InvalidJobException(
                        "from.urls",
                        "its entries %d and %d have one key, %s: write another key after one of them"
                                .formatted(other, number, parsed.key().value()));
            }
            own.add(line.strip());
        }
        return new Source.Urls(own);
    }

    private static UrlListEntry parsed(@Nullable String line, int number) {
        try {
            return UrlListEntry.parse(Objects.requireNonNullElse(line, ""));
        } catch (IllegalArgumentException e) {
            throw new InvalidJobException("from.urls", "its entry %d %s".formatted(number, e.getMessage()));
        }
    }

    private static Source template(String text) {
        return new Source.Template(RequestFieldParser.parsed("from.template", text, UrlTemplate::parse)
                .names());
    }

    private static Source manifest(String text) {
        String place = text.startsWith(RequestFieldParser.S3) ? text.substring(RequestFieldParser.S3.length()) : "";
        int slash = place.indexOf('/');
        if (slash < 0 || !BucketName.isValid(place.substring(0, slash))) {
            throw new InvalidJobException("from.manifest", "is an object that lists URLs: write s3://bucket/key");
        }
        return RequestFieldParser.manifest("from.manifest", text);
    }
}
