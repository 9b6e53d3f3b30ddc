package io.millrace.gateway.app;

import io.millrace.backend.spi.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheState;
import io.millrace.cache.group.GroupState;
import io.millrace.cache.monitor.DiskState;
import io.millrace.cache.scrub.ScrubState;
import io.millrace.gateway.bucket.BucketNames;
import io.millrace.gateway.bucket.BucketNames.ShownPrefix;
import io.millrace.gateway.control.GatewayStatus;
import io.millrace.gateway.control.GatewayStatus.CacheNumbers;
import io.millrace.gateway.control.GatewayStatus.CountedNumbers;
import io.millrace.gateway.control.GatewayStatus.DiskNumbers;
import io.millrace.gateway.control.GatewayStatus.SavedNumbers;
import io.millrace.gateway.control.GatewayStatus.ScrubNumbers;
import io.millrace.gateway.saving.Account.Statement;
import io.millrace.gateway.saving.Accounts;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Collects what the API tells of the gateway as a whole. */
final class StatusSource implements Supplier<GatewayStatus> {
    private final Instant started = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    private final List<String> backends;
    private final Optional<BlockCache> cache;
    private final Accounts accounts;
    private final BucketNames names;
    private final IntSupplier s3Port;

    StatusSource(OpenBackends backends, OpenCache cache, Accounts accounts, BucketNames names, IntSupplier s3Port) {
        this.names = names;
        this.accounts = accounts;
        this.backends = backends.byName().keySet().stream().sorted().toList();
        this.cache = cache.blocks();
        this.s3Port = s3Port;
    }

    @Override
    public GatewayStatus get() {
        return new GatewayStatus(
                Version.text(),
                started,
                Duration.between(started, Instant.now()).toSeconds(),
                s3Port.getAsInt(),
                backends,
                cache.map(this::numbers),
                accounts.statements().stream().map(this::numbers).toList());
    }

    private CacheNumbers numbers(BlockCache blocks) {
        CacheState state = blocks.state();
        return new CacheNumbers(
                state.used(),
                state.capacity(),
                state.room(),
                state.records(),
                state.fills(),
                disks(blocks),
                blocks.isRecovered(),
                blocks.counted().stream().map(this::numbers).toList());
    }

    private CountedNumbers numbers(GroupState counted) {
        ShownPrefix shown = names.of(counted.objects());
        return new CountedNumbers(
                shown.bucket(),
                shown.prefix(),
                counted.objects().backend(),
                counted.objects().bucket().value(),
                counted.objects().prefix(),
                counted.blocks(),
                counted.bytes(),
                counted.most().isPresent() ? Optional.of(counted.most().getAsLong()) : Optional.empty());
    }

    private SavedNumbers numbers(Statement saved) {
        return new SavedNumbers(
                saved.bucket().isEmpty() ? "" : names.of(saved.backend(), new BucketName(saved.bucket())),
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

    private static List<DiskNumbers> disks(BlockCache blocks) {
        List<DiskState> disks = blocks.disks();
        List<ScrubState> scrubs = blocks.scrubs();
        List<Double> slowness = blocks.slowness();
        return IntStream.range(0, disks.size())
                .mapToObj(number -> numbers(number, disks.get(number), slowness.get(number), scrubs.get(number)))
                .toList();
    }

    private static DiskNumbers numbers(int number, DiskState disk, double slowness, ScrubState scrub) {
        return new DiskNumbers(
                number,
                disk.path().toString(),
                disk.condition().name().toLowerCase(Locale.ROOT),
                disk.why(),
                disk.size(),
                disk.used(),
                disk.room(),
                disk.waiting(),
                disk.segments(),
                Math.round(slowness * 10) / 10.0,
                new ScrubNumbers(
                        scrub.underWay(),
                        (int) (100 * scrub.progress()),
                        scrub.lastEnded().map(StatusSource::seconds),
                        scrub.records(),
                        scrub.bytes(),
                        scrub.bad(),
                        scrub.oldest().map(StatusSource::seconds)));
    }

    private static Instant seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }
}
