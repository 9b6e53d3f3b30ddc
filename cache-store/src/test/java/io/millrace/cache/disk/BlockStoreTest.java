package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectIdCodec;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.DiskSnapshot.Condition;
import io.millrace.cache.monitor.NonAdmissionReason;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.millrace.cache.residency.QuotaSize;
import io.millrace.cache.residency.ResidencyGroup;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.FileRegion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What disks hold, refuse, and let go. */
@ExtendWith(BufferLeakExtension.class)
class BlockStoreTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    @Test
    void refusesToStartWithSegmentsOfANewerFormat() throws IOException {
        Path segment = oneRecord();
        setFormat(segment, Segment.FORMAT + 1);

        assertThatThrownBy(() -> Stores.open(folder, "16MiB"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(segment.toString())
                .hasMessageContaining("newer");
        assertThat(segment).exists();
    }

    @Test
    void blockIsRefusedForAFullIndexWhileTheDiskHasRoom() throws IOException {
        try (BlockStore store = Stores.open(folder, "1GiB")) {
            BlockToWrite unread = new BlockToWrite(
                    Stores.key(store, -1),
                    1,
                    ByteBuffer.wrap(new byte[] {1}),
                    List.of(Unpooled.wrappedBuffer(new byte[99])));
            assertThat(store.whyNotAdmitted(unread.key(), unread)).isNull();

            for (int number = 0;
                    store.whyNotAdmitted(unread.key(), unread) == null && number < 1_000_000;
                    number += 1000) {
                CompletableFuture<?>[] written = IntStream.range(number, number + 1000)
                        .mapToObj(each -> Stores.write(store, each, 1))
                        .toArray(CompletableFuture<?>[]::new);
                CompletableFuture.allOf(written).orTimeout(60, TimeUnit.SECONDS).join();
            }

            assertThat(store.whyNotAdmitted(unread.key(), unread)).isEqualTo(NonAdmissionReason.INDEX_MEMORY);
            assertThat(store.disks().states()).allMatch(disk -> disk.used() < disk.limit() / 2);
        }
    }

    /** A block that a quota keeps out is missed again and again, which says nothing of what others read. */
    @Test
    void blockBeyondItsQuotaDoesNotReachThePolicy() throws IOException {
        List<Object> asked = new ArrayList<>();
        AdmissionAndEvictionPolicy frequency = AdmissionAndEvictionPolicy.frequency(1 << 16);
        AdmissionAndEvictionPolicy policy = (AdmissionAndEvictionPolicy) Proxy.newProxyInstance(
                AdmissionAndEvictionPolicy.class.getClassLoader(),
                new Class<?>[] {AdmissionAndEvictionPolicy.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("admits")) {
                        asked.add(arguments[0]);
                    }
                    return method.invoke(frequency, arguments);
                });
        ResidencyGroup bounded = new ResidencyGroup(
                new ObjectPrefix("test", new BucketName("bounded"), ""), Optional.of(QuotaSize.parse("1KiB")));
        try (BlockStore store = BlockStore.open(
                CacheSettingsFixture.of(
                        DataSize.parse("4KiB"),
                        DataSize.parse("1MiB"),
                        DataSize.parse("4MiB"),
                        List.of(new DiskSettings(folder.resolve("disk"), DataSize.parse("16MiB")))),
                folder.resolve("data"),
                policy,
                hash -> new GroupResidencyCounter(List.of(bounded), hash, policy),
                CacheEventListener.NONE)) {
            store.disks().recover();
            BlockToWrite beyond = block(store, 1, "bounded");
            BlockToWrite other = block(store, 2, "free");

            assertThat(store.whyNotAdmitted(beyond.key(), beyond)).isEqualTo(NonAdmissionReason.QUOTA);
            assertThat(asked).isEmpty();
            assertThat(store.whyNotAdmitted(other.key(), other)).isNull();
            assertThat(asked).containsExactly(other.key());
        }
    }

    /** Returns a block of 2,000 bytes of an object. */
    private static BlockToWrite block(BlockStore store, int number, String bucket) {
        ObjectId object = ObjectId.current("test", new ObjectRef(new BucketName(bucket), new ObjectKey("object")));
        return new BlockToWrite(
                Stores.key(store, number),
                number,
                ByteBuffer.wrap(ObjectIdCodec.encode(object)),
                List.of(Unpooled.wrappedBuffer(new byte[2_000])));
    }

    @Test
    void withdrawnBlockIsNotStored() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            BlockToWrite block = new BlockToWrite(
                    Stores.key(store, 1),
                    1,
                    ByteBuffer.wrap(new byte[] {1}),
                    List.of(Unpooled.wrappedBuffer(new byte[99])));
            CompletableFuture<Boolean> withdrawn = new CompletableFuture<>();
            CompletableFuture<Boolean> kept = new CompletableFuture<>();

            store.write(block.withdrawnIf(() -> true), withdrawn::complete);
            assertThat(Stores.stored(withdrawn)).isFalse();
            assertThat(store.contains(block.key())).isFalse();

            store.write(block, kept::complete);
            assertThat(Stores.stored(kept)).isTrue();
            assertThat(store.contains(block.key())).isTrue();
        }
    }

    @Test
    void resultOfAReadThatWasGivenUpIsReleased() throws IOException {
        // The test holds it, too: one that is released twice is not the test's any more.
        ByteBuf result = Unpooled.buffer(1).retain();
        CountDownLatch goesOn = new CountDownLatch(1);
        CompletableFuture<Boolean> wasGivenUp = new CompletableFuture<>();
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            assertThat(Stores.stored(Stores.write(store, 1, 100))).isTrue();
            StoredBlock record = Objects.requireNonNull(store.find(Stores.key(store, 1)));

            record.onDisk(
                    hanging -> {
                        await(goesOn);
                        return result;
                    },
                    read -> wasGivenUp.complete(read == null));
            assertThat(Stores.stored(wasGivenUp)).isTrue();
            goesOn.countDown();
        }

        assertThat(result.refCnt()).isOne();
        result.release();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void refusedStartKeepsTheLockOfAnExistingFolder() throws IOException {
        setFormat(oneRecord(), Segment.FORMAT + 1);
        Path lock = folder.resolve("disk-0").resolve("lock");
        Files.delete(lock);

        assertThatThrownBy(() -> Stores.open(folder, "16MiB")).hasMessageContaining("newer");

        assertThat(lock).as("somebody else may have opened it").exists();
    }

    @Test
    void refusedStartLeavesFoldersUnchanged() throws IOException {
        Path deep = folder.resolve("not/there/yet");
        Path foreign = Files.createDirectory(folder.resolve("foreign"));
        Path file = Files.writeString(foreign.resolve("of-somebody-else"), "his");

        assertThatThrownBy(() -> Stores.openAt(folder, deep, folder.resolve("not/there/either"), foreign))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("holds files that are not Millrace's");

        assertThat(folder.resolve("not")).doesNotExist();
        assertThat(foreign.toFile().listFiles()).containsExactly(file.toFile());
    }

    @Test
    void refusedStartRemovesItsNewSuperblocks() throws IOException {
        Path other = folder.resolve("other");
        Stores.open(other, "16MiB").close();
        Stores.openAt(folder, folder.resolve("first")).close();
        Path fresh = folder.resolve("fresh");

        assertThatThrownBy(() -> Stores.openAt(folder, folder.resolve("first"), fresh, other.resolve("disk-0")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("belongs to another cache");

        assertThat(fresh).doesNotExist();
        Stores.openAt(folder, folder.resolve("first"), fresh).close();
    }

    @Test
    void segmentOfAnOlderFormatIsDropped() throws IOException {
        Path segment = oneRecord();
        setFormat(segment, Segment.FORMAT - 1);

        try (BlockStore store = Stores.open(folder, "16MiB")) {
            assertThat(Stores.reads(store, 1)).isFalse();
            assertThat(store.disks().used()).isZero();
        }
        assertThat(segment).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"format=3", "format=x", "format=", "run=\\\\u00zz"})
    void refusesToStartWithAnUnreadableSuperblock(String line) throws IOException {
        oneRecord();
        Path superblock = folder.resolve("disk-0").resolve(Superblock.NAME);
        String name = line.substring(0, line.indexOf('=') + 1);
        Files.writeString(superblock, Files.readString(superblock).replaceAll("(?m)^" + name + ".*$", line));

        assertThatThrownBy(() -> Stores.open(folder, "16MiB"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(superblock.toString())
                .hasMessageContaining("empty the folder");
    }

    @Test
    void secondStoreOnAFolderIsRefused() throws IOException {
        try (BlockStore first = Stores.open(folder, "16MiB")) {
            assertThatThrownBy(() -> Stores.open(folder, "16MiB"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");

            assertThat(Stores.stored(Stores.write(first, 1, 100))).isTrue();
        }
    }

    @Test
    void folderThatIsNotMountedIsRefused() throws IOException {
        oneRecord();
        Path disk = folder.resolve("disk-0");
        Files.move(disk, folder.resolve("unmounted"));
        Files.createDirectory(disk);

        assertThatThrownBy(() -> Stores.open(folder, "16MiB"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("mounted")
                .hasMessageContaining("millrace disks forget --data ");
        assertThat(disk).as("what the disk would be mounted over").isEmptyDirectory();

        Files.delete(folder.resolve("data").resolve("cache-disks"));
        Stores.open(folder, "16MiB").close();
    }

    @Test
    void foreignFolderIsRefusedUnchanged() throws IOException {
        Path disk = Files.createDirectory(folder.resolve("disk-0"));
        Path theirs = Files.writeString(disk.resolve("thesis.txt"), "years of work");

        assertThatThrownBy(() -> Stores.open(folder, "16MiB"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not Millrace's");

        assertThat(theirs).hasContent("years of work");
    }

    @Test
    void disksKeepTheirSizesWhateverTheyAre() throws IOException {
        String[] sizes = {"3MiB", "9MiB", "5MiB"};
        Random random = new Random(4);
        for (int round = 0; round < 3; round++) {
            try (BlockStore store = Stores.open(folder, sizes)) {
                for (int i = 0; i < 300; i++) {
                    int number = random.nextInt(10_000);
                    Stores.stored(Stores.write(store, number, random.nextInt(150_000)));
                    assertThat(store.disks().used()).isLessThanOrEqualTo(17L * MIB + 3 * (MIB + 8192));
                }
            }
            for (int disk = 0; disk < sizes.length; disk++) {
                long bytes = 0;
                for (Path segment : Stores.segments(folder.resolve("disk-" + disk))) {
                    bytes += Files.size(segment);
                }
                assertThat(bytes)
                        .isLessThanOrEqualTo(Integer.parseInt(sizes[disk].substring(0, 1)) * (long) MIB + MIB + 8192);
            }
        }
    }

    @Test
    void usedBlocksOutliveUnusedOnes() throws IOException {
        try (BlockStore store = Stores.open(folder, "4MiB")) {
            Stores.stored(Stores.write(store, 1, 20_000));
            Stores.stored(Stores.write(store, 4, 20_000));
            for (int i = 0; i < 100; i++) {
                Stores.stored(Stores.write(store, 1000 + i, 100_000));
                use(store, 1);
            }

            assertThat(Stores.reads(store, 1)).isTrue();
            assertThat(Stores.reads(store, 4)).isFalse();
        }
    }

    @Test
    void removedSegmentStaysReadableWhileReferenced() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            Stores.stored(Stores.write(store, 1, 200_000));
            StoredBlock record = Objects.requireNonNull(store.find(Stores.key(store, 1)));
            assertThat(record.verify()).isTrue();
            FileRegion region = record.region(0, 200_000, Runnable::run);
            record.close();
            for (int i = 0; i < 200; i++) {
                Stores.stored(Stores.write(store, 1000 + i, 100_000));
            }
            assertThat(store.find(Stores.key(store, 1))).isNull();
            long before = store.disks().used();

            ByteArrayOutputStream out = new ByteArrayOutputStream();
            while (region.transferred() < region.count()) {
                region.transferTo(Channels.newChannel(out), region.transferred());
            }
            region.release();

            assertThat(out.toByteArray())
                    .isEqualTo(GeneratedBytes.of("record-1").first(200_000));
            assertThat(before - store.disks().used()).isBetween(900_000L, 2L * MIB);
        }
    }

    @Test
    void removedSegmentsWithReadersCountAsUsedSpace() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            List<StoredBlock> held = new ArrayList<>();
            int refused = 0;
            for (int i = 0; i < 400; i++) {
                if (Stores.stored(Stores.write(store, i, 100_000))) {
                    held.add(Objects.requireNonNull(store.find(Stores.key(store, i))));
                } else {
                    refused++;
                }
            }
            assertThat(refused).isPositive();
            assertThat(store.disks().used()).isLessThanOrEqualTo(16L * MIB + 4 * MIB + 3 * MIB);

            held.forEach(StoredBlock::close);

            assertThat(Stores.stored(Stores.write(store, 1000, 100_000))).isTrue();
        }
    }

    @Test
    void recoveryIgnoresSegmentsOfANewerFormat() throws IOException {
        Path segment = oneRecord();
        try (BlockStore store = Stores.openUnknown(folder, "16MiB")) {
            setFormat(segment, Segment.FORMAT + 1);
            store.disks().recover();

            assertThat(segment).exists();
            assertThat(store.disks().used()).isZero();
        }
    }

    @Test
    void recordsInEachOthersPlacesAreMisses() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            for (int i = 0; i < 4; i++) {
                Stores.stored(Stores.write(store, i, 100));
            }
        }
        Path segment = Stores.segments(folder.resolve("disk-0")).get(0);
        byte[] bytes = Files.readAllBytes(segment);
        int length = 256;
        byte[] first = Arrays.copyOfRange(bytes, 64, 64 + length);
        System.arraycopy(bytes, 64 + length, bytes, 64, length);
        System.arraycopy(first, 0, bytes, 64 + length, length);
        Files.write(segment, bytes);

        try (BlockStore store = Stores.open(folder, "16MiB")) {
            assertThat(Stores.reads(store, 0)).isFalse();
            assertThat(Stores.reads(store, 1)).isFalse();
            assertThat(Stores.reads(store, 2)).isTrue();
            assertThat(Stores.reads(store, 3)).isTrue();
        }
    }

    @Test
    @Tag("long")
    void detectsDamageOfEveryByte() throws IOException {
        damageEach(1);
    }

    @Test
    void detectsDamageOfSampledBytes() throws IOException {
        damageEach(5);
    }

    private void damageEach(int step) throws IOException {
        Path segment = fourRecords();
        byte[] whole = Files.readAllBytes(segment);
        for (int at = 0; at < whole.length; at += step) {
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 << (at % 8));
            Files.write(segment, damaged);
            assertRightOrMissing(at);
        }
    }

    @Test
    void readsTruncatedSegmentUpToItsEnd() throws IOException {
        Path segment = fourRecords();
        byte[] whole = Files.readAllBytes(segment);
        for (int length = 0; length < whole.length; length += 64) {
            Files.write(segment, Arrays.copyOf(whole, length));
            assertRightOrMissing(length);
        }
    }

    private void assertRightOrMissing(int at) throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            for (int i = 0; i < 4; i++) {
                Stores.reads(store, i);
            }
            assertThat(Stores.reads(store, 4))
                    .as("never written, with byte %d", at)
                    .isFalse();
        }
    }

    private Path fourRecords() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            Stores.stored(Stores.write(store, 0, 0));
            Stores.stored(Stores.write(store, 1, 70));
            Stores.stored(Stores.write(store, 2, 100));
            Stores.stored(Stores.write(store, 3, 1));
        }
        return Stores.segments(folder.resolve("disk-0")).get(0);
    }

    private Path oneRecord() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            assertThat(Stores.stored(Stores.write(store, 1, 1000))).isTrue();
        }
        return Stores.segments(folder.resolve("disk-0")).get(0);
    }

    private static void use(BlockStore store, int number) {
        try (StoredBlock record = store.find(Stores.key(store, number))) {
            Objects.requireNonNull(record).used();
        }
    }

    private static void setFormat(Path segment, int format) throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        ByteBuffer header = ByteBuffer.wrap(bytes, 0, Segment.HEADER).slice().order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(8, format).putInt(12, 0);
        header.putInt(12, BlockPageLayout.checksum(header));
        Files.write(segment, bytes);
    }

    @Test
    void startsWithoutOptionalDiskAndReattachesIt() throws IOException {
        Path second = folder.resolve("second");
        Path away = folder.resolve("away");
        try (BlockStore store = openWith(second)) {
            for (int i = 0; i < 40; i++) {
                assertThat(Stores.stored(Stores.write(store, i, 10_000))).isTrue();
            }
            assertThat(store.disks().states().get(1).used()).isPositive();
        }
        Files.move(second, away);

        try (BlockStore store = openWith(second)) {
            assertThat(store.disks().states().get(1).condition()).isEqualTo(Condition.LOST);
            assertThat(store.disks().states().get(1).why()).contains("is its disk mounted?");
            int known = readable(store);
            assertThat(known).isBetween(1, 39);
            assertThat(Stores.stored(Stores.write(store, 100, 10_000))).isTrue();

            assertThat(second).as("what the disk would be mounted over").doesNotExist();
            Files.move(away, second);
            store.disks().returnDisk(1);

            assertThat(store.disks().states().get(1).condition()).isEqualTo(Condition.HEALTHY);
            assertThat(readable(store)).isEqualTo(40);
        }
    }

    @Test
    void startsWithoutOptionalDiskWithDamagedSuperblock() throws IOException {
        Path second = folder.resolve("second");
        openWith(second).close();
        Files.writeString(second.resolve(Superblock.NAME), "format=2");

        try (BlockStore store = openWith(second)) {
            assertThat(store.disks().states().get(1).condition()).isEqualTo(Condition.LOST);
            assertThat(store.disks().states().get(1).why()).contains("it is corrupt");
        }
    }

    private static int readable(BlockStore store) throws IOException {
        int readable = 0;
        for (int i = 0; i < 40; i++) {
            readable += Stores.reads(store, i) ? 1 : 0;
        }
        return readable;
    }

    private BlockStore openWith(Path second) throws IOException {
        List<DiskSettings> disks = List.of(
                new DiskSettings(folder.resolve("first"), DataSize.parse("16MiB")),
                new DiskSettings(second, DataSize.parse("16MiB"), Optional.empty(), false));
        BlockStore store = BlockStore.open(
                CacheSettingsFixture.of(DataSize.parse("4KiB"), DataSize.parse("1MiB"), DataSize.parse("4MiB"), disks),
                folder.resolve("data"),
                AdmissionAndEvictionPolicy.frequency(1 << 16),
                CacheEventListener.NONE);
        store.disks().recover();
        return store;
    }
}
