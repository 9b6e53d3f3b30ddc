package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectIdCodec;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What is written to one disk, in segments of 1 MiB, by the thread of a test. */
public final class TestLog implements DiskReadThreads, AutoCloseable {
    public static final int BODY = 4096;
    private static final long SEGMENT = 1 << 20;

    private final DiskSpace room;
    private final SealedSegments sealed;
    private final SegmentLogWriter log;
    private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
    private volatile boolean holding;
    private int steps;

    /** @param path does not exist yet */
    public TestLog(Path path, int segments, WriteBudget budget, SharedDiskComponents parts) throws IOException {
        Files.createDirectory(path);
        Superblock superblock = Superblock.fresh(UUID.randomUUID(), parts.hash());
        superblock.write(path);
        room = new DiskSpace(path, segments * SEGMENT, size -> SEGMENT, 0.5, () -> 1000 * SEGMENT);
        sealed = parts.sealedSegments(room);
        sealed.recovered();
        SegmentFiles files = new SegmentFiles(path, superblock.disk(), this, room, parts.segments());
        log = writer(files, room, budget, sealed, this, parts);
    }

    /** A writer of what is shared by its disk with others. */
    static SegmentLogWriter writer(
            SegmentFiles files,
            DiskSpace room,
            WriteBudget budget,
            SealedSegments sealed,
            DiskReadThreads reads,
            SharedDiskComponents parts) {
        return new SegmentLogWriter(
                files,
                room,
                budget,
                sealed,
                reads,
                parts.index(),
                parts.groups(),
                parts.policy(),
                parts.pageCache(),
                parts.quotas(),
                parts.recorder());
    }

    /** Of a store that has few records and no rules. */
    public static SharedDiskComponents parts() {
        return parts(FingerprintHash.random());
    }

    /** The same with a key that is known. */
    public static SharedDiskComponents parts(FingerprintHash hash) {
        return parts(hash, AdmissionAndEvictionPolicy.frequency(1 << 16), GroupResidencyCounter.none(hash));
    }

    /** Of a store that has few records, which are counted. */
    public static SharedDiskComponents parts(
            FingerprintHash hash, AdmissionAndEvictionPolicy policy, GroupResidencyCounter groups) {
        return parts(hash, policy, groups, CacheEventListener.NONE);
    }

    /** The same, which tells a listener what happens. */
    public static SharedDiskComponents parts(
            FingerprintHash hash,
            AdmissionAndEvictionPolicy policy,
            GroupResidencyCounter groups,
            CacheEventListener listener) {
        return parts(hash, new BlockIndex(4 << 20, groups), policy, groups, listener);
    }

    /** Of a store with this index. */
    static SharedDiskComponents parts(
            FingerprintHash hash, BlockIndex index, AdmissionAndEvictionPolicy policy, GroupResidencyCounter groups) {
        return parts(hash, index, policy, groups, CacheEventListener.NONE);
    }

    private static SharedDiskComponents parts(
            FingerprintHash hash,
            BlockIndex index,
            AdmissionAndEvictionPolicy policy,
            GroupResidencyCounter groups,
            CacheEventListener listener) {
        return new SharedDiskComponents(
                hash,
                index,
                new SegmentTable(),
                policy,
                new ShadowCaches(1 << 20, 1 << 10),
                groups,
                new PinnedBlockFilter(),
                new PageCacheEstimate(8 << 20),
                listener);
    }

    public static Fingerprint key(int number) {
        return new Fingerprint(1, number);
    }

    /** The identity of an object that is one of several. */
    static ByteBuffer identity(int which) {
        ObjectKey key = new ObjectKey(which + "/object");
        return ByteBuffer.wrap(
                ObjectIdCodec.encode(ObjectId.current("test", new ObjectRef(new BucketName("bucket"), key))));
    }

    /** Which one an identity is of. */
    public static int which(ByteBuffer identity) {
        String key = ObjectIdCodec.decode(identity).orElseThrow().object().key().value();
        return Integer.parseInt(key.substring(0, key.indexOf('/')));
    }

    /** Lays a block of {@link #BODY} bytes out, of the object with this number. */
    public void add(int number, int which) throws IOException {
        boolean fits = log.append(
                new BlockToWrite(key(number), 0, identity(which), List.of(Unpooled.wrappedBuffer(new byte[BODY]))),
                stored -> {});
        assertThat(fits).isTrue();
    }

    public void flush() throws IOException {
        log.flush();
    }

    /** How often the writer has told that it goes on. */
    public int steps() {
        return steps;
    }

    /** From now on nothing is forced but by {@link #force}. */
    public void hold() {
        holding = true;
    }

    /** How many pieces wait to be forced. */
    public int held() {
        return held.size();
    }

    /** Forces what was held. */
    public void force() {
        for (Runnable piece = held.poll(); piece != null; piece = held.poll()) {
            piece.run();
        }
    }

    @Override
    public void execute(Runnable work) {
        if (holding) {
            held.add(work);
        } else {
            work.run();
        }
    }

    @Override
    public void writerProgressed() {
        steps++;
    }

    @Override
    public void close() {
        log.end();
        force();
        sealed.release();
    }
}
