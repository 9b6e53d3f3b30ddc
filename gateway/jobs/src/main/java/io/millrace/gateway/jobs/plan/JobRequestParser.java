package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.config.DataSize;
import io.millrace.gateway.jobs.plan.ObjectSelection.Source;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Parses a request for a job into a {@link JobSpec}. It checks the request only; {@code JobContext} checks the
 * buckets.
 */
public final class JobRequestParser {
    private static final int MOST_KEYS = 10_000;
    private static final int LONGEST_TOKEN = 200;
    /** The longest key of S3. */
    private static final int LONGEST_TEXT = 1024;

    /** Less is a number whose unit was forgotten: an object of a few megabytes would take more than an hour. */
    private static final DataSize LEAST_BANDWIDTH = DataSize.ofKibibytes(1);

    /** Less is a number whose unit was forgotten: each sample would be a shard, as no tar has fewer bytes. */
    private static final DataSize LEAST_SHARD = DataSize.ofKibibytes(2);

    private static final DataSize USUAL_SHARD = DataSize.ofGibibytes(1);

    @SuppressWarnings("OrphanedFormatString") // Shown to users as they have to write it.
    private static final String USUAL_NAME = "shard-%06d.tar";

    /** A window is of some runs of neighbours. */
    private static final int LEAST_WINDOW = 16;

    /** The most samples of a window, which are in memory. */
    private static final int MOST_WINDOW = 100_000;

    private static final Duration LONGEST_PIN = Duration.ofDays(366);

    private final RawJobRequest request;
    private final Instant now;
    private final List<RequestForm> forms;
    private final RequestForm form;

    private JobRequestParser(RawJobRequest request, Instant now, List<RequestForm> forms) {
        this.request = request;
        this.now = now;
        this.forms = forms;
        this.form = RequestFieldParser.oneOf("kind", forms, RequestForm::kind, request.kind())
                .orElseThrow(() -> new InvalidJobException(
                        "kind",
                        "is missing: write "
                                + inWords(forms.stream().map(RequestForm::kind).toList(), "or")));
    }

    /**
     * Parses a request.
     *
     * @param now the time from which ages count
     * @param forms of all kinds of jobs
     * @throws InvalidJobException if the request is invalid
     */
    public static JobSpec read(RawJobRequest request, Instant now, List<RequestForm> forms) {
        return new JobRequestParser(request, now, forms).spec();
    }

    private JobSpec spec() {
        requireShort();
        Optional<JobDestination> to = target();
        ObjectSelection from = form.isOfUrls()
                ? DownloadSourceParser.selection(
                        request.from(), to.orElseThrow().bucket())
                : selection();
        Optional<JobSpec.Shards> shards = shards();
        Optional<RangeSpec> range = allowed("range", request.range())
                .map(text -> RangeSpec.parse(text)
                        .orElseThrow(() -> new InvalidJobException("range", "is not a range: write bytes=0-1048575")));
        Optional<Instant> pinnedUntil = allowed("pin", request.pin()).map(text -> pinnedUntil(text, from));
        OverwriteMode overwrite = allowed("overwrite", request.overwrite())
                .flatMap(text -> RequestFieldParser.oneOf(
                        "overwrite", List.of(OverwriteMode.values()), OverwriteMode::text, text))
                .orElse(OverwriteMode.IF_CHANGED);
        boolean deleteExtra = allowed("deleteExtra", request.deleteExtra()).orElse(false);
        if (deleteExtra
                && !(from.source() instanceof Source.Listing && from.filter().equals(ObjectFilter.ALL))) {
            throw new InvalidJobException(
                    "deleteExtra", "deletes everything outside the selection, which must be a prefix alone");
        }
        if (request.maxDelete() != null && !deleteExtra) {
            throw new InvalidJobException("maxDelete", "is only for a copy with deleteExtra");
        }
        requireToken(request.clientToken());
        return new JobSpec(
                form.kind(),
                from,
                to,
                shards,
                range,
                pinnedUntil,
                overwrite,
                deleteExtra,
                request.maxDelete() == null
                        ? OptionalInt.empty()
                        : OptionalInt.of(
                                RequestFieldParser.number("maxDelete", request.maxDelete(), 1, Integer.MAX_VALUE)),
                Boolean.TRUE.equals(request.dryRun()),
                limits());
    }

    private Instant pinnedUntil(String text, ObjectSelection from) {
        if (from.names().isEmpty()) {
            throw new InvalidJobException(
                    "pin", "needs names that are known in advance: a prefix with glob or regex, a template, or keys");
        }
        Duration pin = RequestFieldParser.parsed("pin", text, age -> JobDurationParser.parse(age, now));
        if (pin.isNegative() || pin.isZero() || pin.compareTo(LONGEST_PIN) > 0) {
            throw new InvalidJobException("pin", "is up to " + LONGEST_PIN.toDays() + " days, as 7d or 12h");
        }
        return now.plus(pin);
    }

    /** Returns the value of a field that not all kinds have. */
    private <T> Optional<T> allowed(String field, @Nullable T value) {
        if (value != null && !form.fields().contains(field)) {
            List<String> kinds = forms.stream()
                    .filter(other -> other.fields().contains(field))
                    .map(RequestForm::kind)
                    .toList();
            throw new InvalidJobException(field, "is only for " + inWords(kinds, "and"));
        }
        return Optional.ofNullable(value);
    }

    private static String inWords(List<String> kinds, String last) {
        int most = kinds.size() - 1;
        return most == 0
                ? kinds.get(0)
                : "%s %s %s".formatted(String.join(", ", kinds.subList(0, most)), last, kinds.get(most));
    }

    /** Bounds the texts of a request, because each job stays in memory and appears in every list. */
    private void requireShort() {
        RawJobRequest.@Nullable From from = request.from();
        if (from != null) {
            requireShort("from.prefix", from.prefix());
            requireShort("from.minSize", from.minSize());
            requireShort("from.maxSize", from.maxSize());
            requireShort("from.newerThan", from.newerThan());
            requireShort("from.olderThan", from.olderThan());
        }
        requireShort("to.prefix", request.to() == null ? null : request.to().prefix());
        requireShort(
                "shards.size",
                request.shards() == null ? null : request.shards().size());
        requireShort("range", request.range());
        requireShort("pin", request.pin());
        requireShort("bandwidth", request.bandwidth());
    }

    private static void requireShort(String field, @Nullable String text) {
        if (text != null && text.length() > LONGEST_TEXT) {
            throw new InvalidJobException(field, "has at most " + LONGEST_TEXT + " characters");
        }
    }

    private static void requireToken(@Nullable String token) {
        if (token != null && (token.isEmpty() || token.length() > LONGEST_TOKEN)) {
            throw new InvalidJobException("clientToken", "is 1 to " + LONGEST_TOKEN + " characters");
        }
    }

    private ObjectSelection selection() {
        RawJobRequest.@Nullable From from = request.from();
        if (from == null) {
            throw new InvalidJobException("from", "is missing: write { \"bucket\": ..., \"prefix\": ... }");
        }
        allowed("from.urls", from.urls());
        ObjectFilter filter = filter(from);
        Source source = source(from);
        if (filter.needsList() && !(source instanceof Source.Listing)) {
            throw new InvalidJobException("from", "filters by size or date need a listing: select by prefix");
        }
        return new ObjectSelection(RequestFieldParser.bucket("from.bucket", from.bucket()), source, filter);
    }

    private static Source source(RawJobRequest.From from) {
        @Nullable Source source = null;
        if (from.template() != null) {
            source = new Source.Template(
                    RequestFieldParser.parsed("from.template", from.template(), JobRequestParser::template));
        }
        if (from.keys() != null) {
            source = alone(source, "from.keys", new Source.Keys(keys(from.keys())));
        }
        if (from.manifest() != null) {
            source = alone(
                    source,
                    "from.manifest",
                    RequestFieldParser.manifest("from.manifest", inBucket(from.manifest(), from.bucket())));
        }
        if (from.failuresOf() != null) {
            source = alone(
                    source,
                    "from.failuresOf",
                    new Source.FailuresOf(from.failuresOf(), from.prefix() == null ? "" : from.prefix()));
        }
        if (source != null && from.prefix() != null && !(source instanceof Source.FailuresOf)) {
            throw new InvalidJobException("from.prefix", "cannot be combined: select objects in one way only");
        }
        return source == null ? new Source.Listing(from.prefix() == null ? "" : from.prefix()) : source;
    }

    /** Returns the {@code s3://} form of a key of the same bucket. */
    private static String inBucket(String manifest, @Nullable String bucket) {
        return manifest.startsWith(RequestFieldParser.S3) ? manifest : RequestFieldParser.S3 + bucket + "/" + manifest;
    }

    private static NameTemplate template(String text) {
        NameTemplate names = NameTemplate.parse(text);
        // The last name is the longest.
        new ObjectKey(names.name(names.count() - 1));
        return names;
    }

    private static Source alone(@Nullable Source other, String field, Source source) {
        if (other != null) {
            throw new InvalidJobException(field, "cannot be combined: select objects in one way only");
        }
        return source;
    }

    private static List<ObjectKey> keys(List<String> names) {
        if (names.isEmpty() || names.size() > MOST_KEYS) {
            throw new InvalidJobException("from.keys", "has 1 to " + MOST_KEYS + " keys; more go into a manifest");
        }
        return names.stream()
                .map(name -> RequestFieldParser.parsed("from.keys", name, ObjectKey::new))
                .toList();
    }

    private ObjectFilter filter(RawJobRequest.From from) {
        String prefix = from.prefix() == null ? "" : from.prefix();
        return new ObjectFilter(
                RequestFieldParser.optional("from.glob", from.glob(), text -> ObjectFilter.glob(prefix, text)),
                RequestFieldParser.optional("from.regex", from.regex(), ObjectFilter::regex),
                RequestFieldParser.optional("from.minSize", from.minSize(), DataSize::parse),
                RequestFieldParser.optional("from.maxSize", from.maxSize(), DataSize::parse),
                RequestFieldParser.optional("from.newerThan", from.newerThan(), this::time),
                RequestFieldParser.optional("from.olderThan", from.olderThan(), this::time));
    }

    /** Parses a point in time, or an age. */
    private Instant time(String text) {
        try {
            return JobDurationParser.isOne(text) ? now.minus(JobDurationParser.parse(text, now)) : Instant.parse(text);
        } catch (DateTimeException | ArithmeticException | IllegalArgumentException e) {
            throw new IllegalArgumentException("is neither an age, as 7d or 12h, nor a time, as 2026-01-31T00:00:00Z");
        }
    }

    private Optional<JobDestination> target() {
        if (request.to() == null && form.needsTarget()) {
            throw new InvalidJobException("to", "is missing: write { \"bucket\": ..., \"prefix\": ... }");
        }
        return allowed("to", request.to())
                .map(to -> new JobDestination(
                        RequestFieldParser.bucket("to.bucket", to.bucket()), to.prefix() == null ? "" : to.prefix()));
    }

    private Optional<JobSpec.Shards> shards() {
        if (request.shards() == null && form.fields().contains("shards")) {
            throw new InvalidJobException("shards", "is missing: write { \"name\": \"" + USUAL_NAME + "\" }");
        }
        return allowed("shards", request.shards()).map(JobRequestParser::shardsOf);
    }

    private static JobSpec.Shards shardsOf(RawJobRequest.Shards shards) {
        JobSpec.ShardNames names = RequestFieldParser.optional("shards.name", shards.name(), JobSpec.ShardNames::parse)
                .orElseThrow(() -> new InvalidJobException("shards.name", "is missing: write " + USUAL_NAME));
        DataSize size = RequestFieldParser.optional("shards.size", shards.size(), DataSize::parse)
                .orElse(USUAL_SHARD);
        if (size.compareTo(LEAST_SHARD) < 0) {
            throw new InvalidJobException(
                    "shards.size",
                    "is less than 2KiB (without a unit it is bytes): write 512MiB for instance, or 'samples': 1");
        }
        return new JobSpec.Shards(
                names,
                size,
                RequestFieldParser.number("shards.samples", shards.samples(), Integer.MAX_VALUE, Integer.MAX_VALUE),
                shards.shuffle() == null ? OptionalLong.empty() : OptionalLong.of(shards.shuffle()),
                window(shards),
                Boolean.TRUE.equals(shards.append()));
    }

    private static OptionalInt window(RawJobRequest.Shards shards) {
        Integer window = shards.window();
        if (window == null) {
            return OptionalInt.empty();
        }
        if (shards.shuffle() == null) {
            throw new InvalidJobException("shards.window", "is of a shuffle: add a seed");
        }
        if (window < LEAST_WINDOW || window > MOST_WINDOW) {
            throw new InvalidJobException("shards.window", "is %d to %d samples".formatted(LEAST_WINDOW, MOST_WINDOW));
        }
        return OptionalInt.of(window);
    }

    private JobLimits limits() {
        int workers = RequestFieldParser.number(
                "workers", request.workers(), JobLimits.DEFAULT_WORKERS, JobLimits.MOST_WORKERS);
        int attempts = RequestFieldParser.number(
                "attempts", request.attempts(), JobLimits.DEFAULT_ATTEMPTS, JobLimits.MOST_ATTEMPTS);
        Optional<DataSize> bandwidth = RequestFieldParser.optional("bandwidth", request.bandwidth(), DataSize::parse);
        if (bandwidth.filter(size -> size.compareTo(LEAST_BANDWIDTH) < 0).isPresent()) {
            throw new InvalidJobException(
                    "bandwidth",
                    "is less than 1KiB a second (without a unit it is bytes): write 200MiB for instance, or pause the"
                            + " job");
        }
        OptionalInt requests = request.requestsPerSecond() == null
                ? OptionalInt.empty()
                : OptionalInt.of(
                        RequestFieldParser.number("requestsPerSecond", request.requestsPerSecond(), 1, 1_000_000));
        return new JobLimits(workers, bandwidth, requests, attempts);
    }
}
