package io.millrace.gateway.s3.observe;

import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts authorized requests by one name of theirs: the bucket that clients name, or the identity. Counts {@link #MOST}
 * names apart; later ones share one. A request costs a lookup and a few adders that no other thread waits for.
 * Thread-safe.
 */
public final class TrafficByName implements RequestRecorder {
    /** The name of all names beyond the first; not that of a bucket, which has no parentheses. */
    public static final String OTHERS = "(others)";

    static final int MOST = 200;

    /** The upper bounds of the counts of times to the first byte, in seconds. */
    private static final double[] BOUNDS = {
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
    };

    private static final double NANOS = 1e9;
    private static final int LEAST_ERROR = 400;
    private static final int NOT_IMPLEMENTED = 501;

    private final Function<RequestRecord, @Nullable String> nameOf;
    private final ConcurrentMap<String, Counts> byName = new ConcurrentHashMap<>();
    private final Counts others = new Counts();

    /**
     * The totals of one name since the start.
     *
     * @param outcomes requests by outcome, without those that did not occur
     * @param results GETs of objects by the result of the cache
     * @param bounds upper bounds of times to the first byte in seconds, the last one infinite
     * @param firstBytes responses up to each bound and above the one before
     */
    public record NamedTraffic(
            String name,
            Map<String, Long> outcomes,
            Map<String, Long> results,
            long bytesIn,
            long bytesOut,
            List<Double> bounds,
            List<Long> firstBytes,
            double firstByteSeconds) {}

    private TrafficByName(Collection<String> known, Function<RequestRecord, @Nullable String> nameOf) {
        this.nameOf = nameOf;
        known.stream().limit(MOST).forEach(name -> byName.put(name, new Counts()));
    }

    /**
     * Counts by bucket.
     *
     * @param known those that are shown before their first request
     */
    public static TrafficByName ofBuckets(Collection<String> known) {
        return new TrafficByName(
                known, request -> request.bucket().map(BucketName::value).orElse(null));
    }

    /** Counts by accountable identity: clients can name any number of sessions. */
    public static TrafficByName ofIdentities() {
        return new TrafficByName(List.of(), RequestRecord::accountable);
    }

    @Override
    public void started() {}

    @Override
    public void ended(RequestRecord request) {
        String name = request.admitted() ? nameOf.apply(request) : null;
        if (name != null && !name.isEmpty()) {
            counts(name, request).add(request);
        }
    }

    /**
     * Returns the counts of a name. Clients can name any number of buckets that do not exist: these get none of their
     * own.
     */
    private Counts counts(String name, RequestRecord request) {
        Counts existing = byName.get(name);
        if (existing != null) {
            return existing;
        }
        boolean isReal = isServed(request.status()) || isOutage(request);
        return isReal && byName.size() < MOST ? byName.computeIfAbsent(name, absent -> new Counts()) : others;
    }

    private static boolean isServed(int status) {
        return status > 0 && status < LEAST_ERROR;
    }

    /**
     * A restart may meet a backend that is down: then none of its buckets has served anything. Strangers prove no name
     * by that.
     */
    private static boolean isOutage(RequestRecord request) {
        return request.outcome() == OutcomeCategory.SERVER_ERROR
                && request.status() != NOT_IMPLEMENTED
                && !request.principal().equals(Principal.ANONYMOUS.name());
    }

    /** Returns whether a name has counts of its own. */
    public boolean isApart(String name) {
        return byName.containsKey(name);
    }

    /** Returns the names with requests of their own, those with the most first. */
    public List<String> busiest() {
        Map<String, Long> requests = new TreeMap<>();
        byName.forEach((name, counts) -> requests.put(name, counts.requests()));
        return requests.entrySet().stream()
                .filter(one -> one.getValue() > 0)
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns all counts by name; those of {@link #OTHERS} come last, if there are any. */
    public List<NamedTraffic> counted() {
        Stream<NamedTraffic> named = new TreeMap<>(byName)
                .entrySet().stream().map(entry -> entry.getValue().snapshot(entry.getKey()));
        NamedTraffic rest = others.snapshot(OTHERS);
        return Stream.concat(
                        named, Stream.of(rest).filter(one -> !one.outcomes().isEmpty()))
                .toList();
    }

    private static final class Counts {
        private final Map<OutcomeCategory, LongAdder> outcomes = adders(OutcomeCategory.class);
        private final Map<CacheResult, LongAdder> results = adders(CacheResult.class);
        private final LongAdder[] firstBytes =
                Stream.generate(LongAdder::new).limit(BOUNDS.length + 1).toArray(LongAdder[]::new);
        private final LongAdder firstByteNanos = new LongAdder();
        private final LongAdder bytesIn = new LongAdder();
        private final LongAdder bytesOut = new LongAdder();

        private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> of) {
            Map<E, LongAdder> adders = new EnumMap<>(of);
            for (E each : EnumSet.allOf(of)) {
                adders.put(each, new LongAdder());
            }
            return adders;
        }

        void add(RequestRecord request) {
            Objects.requireNonNull(outcomes.get(request.outcome())).increment();
            if (request.cache().isPresent()
                    && request.operation().orElse(S3Operation.HEAD_OBJECT) == S3Operation.GET_OBJECT) {
                Objects.requireNonNull(results.get(request.cache().get())).increment();
            }
            if (request.firstByteNanos() >= 0) {
                firstBytes[bound(request.firstByteNanos() / NANOS)].increment();
                firstByteNanos.add(request.firstByteNanos());
            }
            bytesIn.add(Math.max(0, request.bytesIn()));
            bytesOut.add(request.bytesOut());
        }

        long requests() {
            return outcomes.values().stream().mapToLong(LongAdder::sum).sum();
        }

        private static int bound(double seconds) {
            int at = 0;
            while (at < BOUNDS.length && seconds > BOUNDS[at]) {
                at++;
            }
            return at;
        }

        NamedTraffic snapshot(String name) {
            Map<String, Long> byOutcome = new LinkedHashMap<>();
            outcomes.forEach((outcome, adder) -> {
                long count = adder.sum();
                if (count > 0) {
                    byOutcome.put(outcome.wireName(), count);
                }
            });
            Map<String, Long> byResult = new LinkedHashMap<>();
            results.forEach((result, adder) -> byResult.put(result.wireName(), adder.sum()));
            return new NamedTraffic(
                    name,
                    byOutcome,
                    byResult,
                    bytesIn.sum(),
                    bytesOut.sum(),
                    DoubleStream.concat(Arrays.stream(BOUNDS), DoubleStream.of(Double.POSITIVE_INFINITY))
                            .boxed()
                            .toList(),
                    Arrays.stream(firstBytes)
                            .flatMapToLong(adder -> LongStream.of(adder.sum()))
                            .boxed()
                            .toList(),
                    firstByteNanos.sum() / NANOS);
        }
    }
}
