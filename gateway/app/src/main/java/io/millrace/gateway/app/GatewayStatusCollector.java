package io.millrace.gateway.app;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheOccupancy;
import io.millrace.cache.disk.DiskScrubStatus;
import io.millrace.cache.monitor.DiskSnapshot;
import io.millrace.cache.monitor.LatencyWindow;
import io.millrace.cache.residency.GroupResidency;
import io.millrace.gateway.control.Alarm;
import io.millrace.gateway.control.GatewayStatus;
import io.millrace.gateway.control.GatewayStatus.CacheUsage;
import io.millrace.gateway.control.GatewayStatus.DiskStatus;
import io.millrace.gateway.control.GatewayStatus.ReadCounts;
import io.millrace.gateway.control.GatewayStatus.ResidencyCount;
import io.millrace.gateway.control.GatewayStatus.SavingsSummary;
import io.millrace.gateway.control.GatewayStatus.ScrubStatus;
import io.millrace.gateway.control.StateClock;
import io.millrace.gateway.objects.bucket.BucketSavings.SavingsSnapshot;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.ClientBucketNames;
import io.millrace.gateway.objects.bucket.ClientBucketNames.ShownPrefix;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.observe.RequestMeters;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Collects the status of the gateway for the control API: version, uptime, cache usage, reads, disks and
 * savings.
 */
final class GatewayStatusCollector implements Supplier<GatewayStatus> {
    private final Instant started = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private final Supplier<Set<String>> backends;
    private final Optional<BlockCache> cache;
    private final RequestMeters requests;
    private final BucketSavingsRegistry accounts;
    private final Supplier<ClientBucketNames> names;
    private final IntSupplier s3Port;
    private final StateClock since;
    private final Supplier<List<Alarm>> alarms;

    GatewayStatusCollector(
            Supplier<Set<String>> backends,
            CacheLifecycle cache,
            RequestMeters requests,
            BucketSavingsRegistry accounts,
            Supplier<ClientBucketNames> names,
            IntSupplier s3Port,
            StateClock since,
            Supplier<List<Alarm>> alarms) {
        this.since = since;
        this.alarms = alarms;
        this.names = names;
        this.requests = requests;
        this.accounts = accounts;
        this.backends = backends;
        this.cache = cache.blocks();
        this.s3Port = s3Port;
    }

    @Override
    public GatewayStatus get() {
        return new GatewayStatus(
                ProgramVersion.text(),
                started,
                Duration.between(started, Instant.now()).toSeconds(),
                s3Port.getAsInt(),
                alarms.get(),
                backends.get().stream().sorted().toList(),
                cache.map(this::numbers),
                reads(),
                accounts.statements().stream().map(this::numbers).toList());
    }

    private ReadCounts reads() {
        return new ReadCounts(
                requests.gets(CacheResult.HIT),
                requests.gets(CacheResult.MISS) + requests.gets(CacheResult.COLLAPSED),
                requests.gets(CacheResult.STALE),
                requests.gets(CacheResult.BYPASS));
    }

    /** Remembers the states of the disks and the alarms, so that each is known since it began. Sends no request. */
    void observe() {
        List<Alarm> unused = alarms.get();
        List<DiskStatus> unusedToo = cache.map(this::disks).orElse(List.of());
    }

    private CacheUsage numbers(BlockCache blocks) {
        CacheOccupancy state = blocks.administration().stats();
        return new CacheUsage(
                state.used(),
                state.capacity(),
                state.available(),
                state.records(),
                state.fills(),
                disks(blocks),
                blocks.administration().isRecovered(),
                blocks.inventory().groups().stream().flatMap(this::numbers).toList());
    }

    /** Returns the numbers under each of the names that clients use. */
    private Stream<ResidencyCount> numbers(GroupResidency counted) {
        return names.get().allOf(counted.objects()).stream().map(shown -> numbers(counted, shown));
    }

    private static ResidencyCount numbers(GroupResidency counted, ShownPrefix shown) {
        return new ResidencyCount(
                shown.bucket(),
                shown.prefix(),
                counted.objects().backend(),
                counted.objects().bucket().value(),
                counted.objects().prefix(),
                counted.blocks(),
                counted.bytes(),
                counted.most().isPresent() ? Optional.of(counted.most().getAsLong()) : Optional.empty());
    }

    private SavingsSummary numbers(SavingsSnapshot saved) {
        return new SavingsSummary(
                saved.bucket().isEmpty() ? "" : names.get().of(saved.backend(), new BucketName(saved.bucket())),
                saved.backend(),
                saved.bucket(),
                saved.requestsServed(),
                saved.bytesServed(),
                saved.requestsSent(),
                saved.bytesFetched(),
                saved.requestsSaved(),
                saved.bytesSaved(),
                saved.moneySaved());
    }

    private List<DiskStatus> disks(BlockCache blocks) {
        List<DiskSnapshot> disks = blocks.administration().disks();
        List<DiskScrubStatus> scrubs = blocks.administration().scrubs();
        List<Double> slowness = blocks.administration().slowness();
        return IntStream.range(0, disks.size())
                .mapToObj(number -> numbers(number, disks.get(number), slowness.get(number), scrubs.get(number)))
                .toList();
    }

    private DiskStatus numbers(int number, DiskSnapshot disk, double slowness, DiskScrubStatus scrub) {
        return new DiskStatus(
                number,
                disk.path().toString(),
                state(disk),
                since(disk),
                disk.why(),
                disk.size(),
                disk.used(),
                disk.limit(),
                disk.waiting(),
                disk.segments(),
                Math.round(slowness * 10) / 10.0,
                since(disk, "slowness", LatencyWindow.isSlower(slowness)),
                since(disk, "squeeze", isSqueezed(disk)),
                new ScrubStatus(
                        scrub.underWay(),
                        (int) (100 * scrub.progress()),
                        scrub.lastEnded().map(GatewayStatusCollector::seconds),
                        scrub.records(),
                        scrub.bytes(),
                        scrub.bad(),
                        scrub.lastBad().map(GatewayStatusCollector::seconds),
                        scrub.oldest().map(GatewayStatusCollector::seconds)));
    }

    private Instant since(DiskSnapshot disk) {
        return since.since("disk " + disk.path(), state(disk));
    }

    private Optional<Instant> since(DiskSnapshot disk, String trouble, boolean isSo) {
        // Also if it is not, so that the next time begins anew.
        Instant first = since.since(trouble + " of disk " + disk.path(), isSo ? "bad" : "good");
        return isSo ? Optional.of(first) : Optional.empty();
    }

    /** As of the alert MillraceDiskSqueezed. A lost disk has no room for another reason. */
    private static boolean isSqueezed(DiskSnapshot disk) {
        return disk.condition() != DiskSnapshot.Condition.LOST && disk.limit() < disk.size() / 2;
    }

    private static String state(DiskSnapshot disk) {
        return disk.condition().name().toLowerCase(Locale.ROOT);
    }

    private static Instant seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }
}
