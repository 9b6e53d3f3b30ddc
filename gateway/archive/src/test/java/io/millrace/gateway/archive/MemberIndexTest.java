package io.millrace.gateway.archive;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Tests the index against a sorted map, and its form in bytes. */
class MemberIndexTest {
    private static final Comparator<String> BY_UTF8 = (one, other) ->
            Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));

    @Test
    void membersAreSortedAsS3SortsKeys() {
        List<String> names =
                List.of("a", "a/b", "a-b", "a.b", "B", "\uFFFF", "\uD83D\uDE00", "\u00e4", "z", "aa", "a/");

        MemberIndex index = indexOf(names);

        assertThat(names(index)).isEqualTo(names.stream().sorted(BY_UTF8).toList());
        assertThat(names(index)).endsWith("\uFFFF", "\uD83D\uDE00");
    }

    @Test
    void findsWhatASortedMapFinds() {
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            TreeMap<String, Integer> model = new TreeMap<>(BY_UTF8);
            List<String> names = new ArrayList<>();
            for (int i = random.nextInt(60); i >= 0; i--) {
                String name = randomName(random);
                model.putIfAbsent(name, names.size());
                names.add(name);
            }

            MemberIndex index = indexOf(names);

            assertThat(names(index)).isEqualTo(List.copyOf(model.keySet()));
            assertThat(index.hidden(HiddenReason.DUPLICATE)).isEqualTo(names.size() - model.size());
            for (int i = 0; i < 100; i++) {
                String name = randomName(random);
                int found = index.find(name);
                assertThat(found >= 0).isEqualTo(model.containsKey(name));
                assertThat(index.ceiling(name)).isEqualTo(model.headMap(name).size());
                if (found >= 0) {
                    // Of equal names the first.
                    assertThat(index.position(found)).isEqualTo(512L * requireNonNull(model.get(name)));
                }
            }
        }
    }

    private static String randomName(Random random) {
        StringBuilder name = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            name.appendCodePoint("ab/.\u007f\u0080\u07ff\u0800\uffff".charAt(random.nextInt(9)));
            if (random.nextInt(5) == 0) {
                name.appendCodePoint(0x10000 + random.nextInt(3));
            }
        }
        return name.toString();
    }

    @Test
    void lookUpAllocatesNothing() {
        MemberIndex index = indexOf(List.of("a", "train/0001.jpg", "\u00e4\uD83D\uDE00"));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long found = 0;
        long before = 0;
        for (int i = 0; i < 20_000; i++) {
            if (i == 10_000) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            found += index.find("train/0001.jpg") + index.find("\u00e4\uD83D\uDE00") + index.find("none");
        }

        // What the bean itself allocates.
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1000);
        assertThat(found).isEqualTo(40_000);
    }

    /** No name has half a character; a question mark, by which others replace it, is not meant. */
    @Test
    void halvesOfCharactersAreInNoName() {
        MemberIndex index = indexOf(List.of("?", "a?"));

        assertThat(index.find("\uD83D")).isEqualTo(-1);
        assertThat(index.find("a\uDE00")).isEqualTo(-1);
    }

    @Test
    void membersOfZipsHaveAllTheirFields() {
        ArchiveMember stored = new ArchiveMember("b", 1L << 40, 7, 7, false, OptionalInt.of(-5));
        ArchiveMember deflated = new ArchiveMember("a", 3, 1L << 33, 1L << 34, true, OptionalInt.of(6));
        MemberIndexBuilder builder = new MemberIndexBuilder(ArchiveFormat.ZIP, ArchiveLimits.defaults());
        builder.member(stored);
        builder.member(deflated);

        MemberIndex index = builder.build();

        assertThat(index.format()).isEqualTo(ArchiveFormat.ZIP);
        assertThat(index.member(0)).isEqualTo(deflated);
        assertThat(index.member(1)).isEqualTo(stored);
        assertThat(index.contentSize(0)).isEqualTo(1L << 34);
    }

    @Test
    void membersOfAZipThatOverlapAreMissing() {
        MemberIndexBuilder builder = new MemberIndexBuilder(ArchiveFormat.ZIP, ArchiveLimits.defaults());
        builder.member(new ArchiveMember("within", 50, 500, 1 << 20, true, OptionalInt.of(1)));
        builder.member(new ArchiveMember("first", 0, 600, 600, false, OptionalInt.of(2)));
        builder.member(new ArchiveMember("within too", 90, 400, 1 << 20, true, OptionalInt.of(3)));

        MemberIndex index = builder.build(ArchiveException.damaged(50, "an entry begins before another one has ended"));

        assertThat(names(index)).containsExactly("first");
        assertThat(index.member(0).position()).isZero();
        assertThat(index.damage()).isPresent();
    }

    @Test
    void encodedIndexIsTheSame() {
        MemberIndexBuilder builder = new MemberIndexBuilder(ArchiveFormat.TAR, ArchiveLimits.defaults());
        builder.member(ArchiveMember.ofTar("b", 512, 1));
        builder.hidden(HiddenReason.LINK);
        builder.member(ArchiveMember.ofTar("a", 1536, 2));
        builder.hidden(HiddenReason.LINK);
        builder.member(ArchiveMember.ofTar("a", 2560, 3));
        MemberIndex index = builder.build(ArchiveException.damaged(1L << 33, "it is broken"));

        MemberIndex decoded = MemberIndex.decode(index.encoded()).orElseThrow();

        for (MemberIndex one : List.of(index, decoded)) {
            assertThat(one.size()).isEqualTo(2);
            assertThat(one.format()).isEqualTo(ArchiveFormat.TAR);
            assertThat(one.member(0)).isEqualTo(ArchiveMember.ofTar("a", 1536, 2));
            assertThat(one.hidden(HiddenReason.LINK)).isEqualTo(2);
            assertThat(one.hidden(HiddenReason.DUPLICATE)).isEqualTo(1);
            assertThat(one.damage()).hasValueSatisfying(damage -> {
                assertThat(damage.kind()).isEqualTo(ArchiveException.Kind.DAMAGED);
                assertThat(damage.position()).isEqualTo(1L << 33);
                assertThat(damage).hasMessage("it is broken");
            });
        }
        assertThat(index.encoded().remaining()).isEqualTo(index.bytes());
        assertThat(index.encoded().isReadOnly()).isTrue();
    }

    @Test
    void decodesFromTheMiddleOfABuffer() {
        ByteBuffer encoded = indexOf(List.of("a", "b")).encoded();
        ByteBuffer within = ByteBuffer.allocateDirect(encoded.remaining() + 10).position(7);
        within.put(encoded).flip().position(7);

        assertThat(names(MemberIndex.decode(within).orElseThrow())).containsExactly("a", "b");
    }

    @Test
    void damagedIndexesAreNone() {
        ByteBuffer encoded = indexOf(List.of("a", "b", "c")).encoded();
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);

        for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertThat(MemberIndex.decode(ByteBuffer.wrap(flipped))).isEmpty();
        }
        for (int length = 0; length < bytes.length; length++) {
            assertThat(MemberIndex.decode(ByteBuffer.wrap(bytes, 0, length))).isEmpty();
        }
    }

    /** Whatever made such bytes, nothing beyond them is read. */
    @Test
    void indexesThatContradictThemselvesAreNone() {
        ByteBuffer encoded = indexOf(List.of("a", "b", "c")).encoded();
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        int row = MemberIndex.ROWS + MemberIndex.STORED_SIZE;

        for (int at : new int[] {4, 8, 12, 16, 28, row, row + MemberIndex.SIZE, row + MemberIndex.NAME_END}) {
            for (int value : new int[] {-1, 7, 1000, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                byte[] forged = bytes.clone();
                ByteBuffer.wrap(forged).putInt(at, value);
                Optional<MemberIndex> decoded = MemberIndex.decode(withChecksum(forged));
                if (at == row || at == row + MemberIndex.SIZE) {
                    // Places and sizes are the archive's.
                    assertThat(decoded.isPresent()).as("%d at %d", value, at).isEqualTo(value >= 0);
                } else {
                    assertThat(decoded).as("%d at %d", value, at).isEmpty();
                }
            }
        }
        assertThat(MemberIndex.decode(withChecksum(bytes.clone()))).isPresent();
    }

    private static ByteBuffer withChecksum(byte[] forged) {
        int length = forged.length - MemberIndex.CHECKSUM_BYTES;
        CRC32C checksum = new CRC32C();
        checksum.update(forged, 0, length);
        return ByteBuffer.wrap(forged).putInt(length, (int) checksum.getValue());
    }

    @Test
    void onlyIsTheFirstMemberOfAName() {
        MemberIndexBuilder builder = new MemberIndexBuilder(ArchiveFormat.TAR, ArchiveLimits.defaults());
        builder.member(ArchiveMember.ofTar("b", 512, 1));
        builder.member(ArchiveMember.ofTar("a", 1536, 2));
        builder.member(ArchiveMember.ofTar("b", 2560, 3));

        MemberIndex only = builder.only("b").orElseThrow();

        assertThat(names(only)).containsExactly("b");
        assertThat(only.member(0)).isEqualTo(ArchiveMember.ofTar("b", 512, 1));
        assertThat(builder.only("c")).isEmpty();
        assertThat(builder.only("")).isEmpty();
        assertThat(names(builder.build())).containsExactly("a", "b");
    }

    @Test
    void onlyFindsEachOfManyMembersWhileTheyAreAdded() {
        MemberIndexBuilder builder = new MemberIndexBuilder(ArchiveFormat.TAR, ArchiveLimits.defaults());
        List<String> names = randomNumbers(5000);
        for (int i = 0; i < names.size(); i++) {
            assertThat(builder.only(names.get(i))).isEmpty();
            builder.member(ArchiveMember.ofTar(names.get(i), 512L * i, i));
            int earlier = i * 7 % (i + 1);
            assertThat(builder.only(names.get(earlier)))
                    .hasValueSatisfying(only -> assertThat(only.position(0)).isEqualTo(512L * earlier));
        }
    }

    /** Whoever makes an archive can choose its names so that a look-up gives up. */
    @Test
    void onlyIsNoLaterMemberOfANameAlsoIfNamesShareAHash() {
        MemberIndexBuilder builder = new MemberIndexBuilder(ArchiveFormat.TAR, ArchiveLimits.defaults());
        int found = 0;
        for (int i = 0; i < 2 * 256; i++) {
            builder.member(ArchiveMember.ofTar(nameOfOneHash(i % 256), 512L * i, i));
        }
        for (int i = 0; i < 256; i++) {
            long position = 512L * i;
            Optional<MemberIndex> only = builder.only(nameOfOneHash(i));
            assertThat(only.map(index -> index.position(0)).orElse(position)).isEqualTo(position);
            found += only.isPresent() ? 1 : 0;
        }
        assertThat(found).isBetween(1, 255);
    }

    /** Returns one of 256 names that {@link String#hashCode} gives one number. */
    private static String nameOfOneHash(int number) {
        StringBuilder name = new StringBuilder();
        for (int bit = 0; bit < 8; bit++) {
            name.append(((number >> bit) & 1) == 0 ? "Aa" : "BB");
        }
        return name.toString();
    }

    @Test
    void samplesAreThoseThatAPackMakes() {
        Random random = new Random(5);
        for (int round = 0; round < 300; round++) {
            Map<String, List<String>> model = new LinkedHashMap<>();
            Set<String> names = new LinkedHashSet<>();
            for (int i = random.nextInt(60); i >= 0; i--) {
                names.add(randomPath(random));
            }
            names.forEach(name -> model.computeIfAbsent(SampleName.of(name), first -> new ArrayList<>())
                    .add(name));

            MemberIndex index = indexOf(List.copyOf(names));

            for (int i = 0; i < 60; i++) {
                String sample = randomPath(random).replace(".", random.nextBoolean() ? "" : ".");
                List<String> alone = model.getOrDefault(sample, List.of());
                List<String> expected = SampleName.of(sample + ".x").equals(sample + '.')
                        ? model.getOrDefault(sample + '.', alone)
                        : alone;
                assertThat(index.sample(sample).orElseThrow())
                        .extracting(index::name)
                        .isEqualTo(expected);
            }
        }
    }

    private static String randomPath(Random random) {
        StringBuilder name = new StringBuilder("a");
        for (int i = random.nextInt(5); i > 0; i--) {
            name.append("ab./.-".charAt(random.nextInt(6)));
        }
        return name.append(random.nextInt(4) == 0 ? "/" : "b").toString();
    }

    @Test
    void sampleHasAtMostAThousandMembers() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < SampleName.MOST_MEMBERS; i++) {
            // A folder whose name begins so is passed over at once, whatever is in it.
            names.add("a." + i);
            names.add("b.m/" + i);
            names.add("b.m/more/" + i);
        }
        names.addAll(List.of("b.jpg", "b.txt"));
        assertThat(indexOf(names).sample("a").orElseThrow()).hasSize(SampleName.MOST_MEMBERS);
        assertThat(indexOf(names).sample("b").orElseThrow()).hasSize(2);

        names.add("a.x");

        assertThat(indexOf(names).sample("a")).isEmpty();
    }

    @Test
    void emptyIndexFindsNothing() {
        MemberIndex index = indexOf(List.of());

        assertThat(index.size()).isZero();
        assertThat(index.find("a")).isEqualTo(-1);
        assertThat(index.ceiling("")).isZero();
        assertThat(index.sample("a").orElseThrow()).isEmpty();
        assertThat(index.damage()).isEmpty();
    }

    @Test
    void takesTwentyBytesForEachMember() {
        int one = indexOf(List.of("a")).bytes();
        int thousand = indexOf(randomNumbers(1000)).bytes();

        assertThat(thousand - one).isEqualTo(999 * 20 + 1000 * 6 - 1);
    }

    private static List<String> randomNumbers(int count) {
        return new Random(1)
                .ints(100_000, 1_000_000)
                .distinct()
                .limit(count)
                .mapToObj(Integer::toString)
                .toList();
    }

    @Test
    void moreThanItsLimitsIsRefused() {
        MemberIndexBuilder few = new MemberIndexBuilder(ArchiveFormat.TAR, new ArchiveLimits(2, 1 << 20, 0, 0, 1024));
        few.member(ArchiveMember.ofTar("a", 512, 0));
        few.member(ArchiveMember.ofTar("b", 1024, 0));
        MemberIndexBuilder small = new MemberIndexBuilder(ArchiveFormat.TAR, new ArchiveLimits(10, 50, 0, 0, 1024));
        small.member(ArchiveMember.ofTar("a", 512, 0));

        assertTooLarge(few, ArchiveMember.ofTar("c", 1536, 0));
        assertTooLarge(small, ArchiveMember.ofTar("a name of some bytes", 1536, 0));
        // What was there before stays.
        assertThat(names(few.build())).containsExactly("a", "b");
    }

    private static void assertTooLarge(MemberIndexBuilder builder, ArchiveMember member) {
        assertThatThrownBy(() -> builder.member(member)).isInstanceOfSatisfying(ArchiveException.class, e -> {
            assertThat(e.kind()).isEqualTo(ArchiveException.Kind.TOO_LARGE);
            assertThat(e.position()).isEqualTo(1536);
        });
    }

    @Test
    void reasonsHaveLabels() {
        assertThat(HiddenReason.NAME_NOT_UTF8.label()).isEqualTo("name-not-utf8");
    }

    /** Returns an index of members that follow each other, one block each. */
    private static MemberIndex indexOf(List<String> names) {
        MemberIndexBuilder builder = new MemberIndexBuilder(ArchiveFormat.TAR, ArchiveLimits.defaults());
        for (int i = 0; i < names.size(); i++) {
            builder.member(ArchiveMember.ofTar(names.get(i), 512L * i, i));
        }
        return builder.build();
    }

    private static List<String> names(MemberIndex index) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < index.size(); i++) {
            names.add(index.name(i));
        }
        return names;
    }
}
