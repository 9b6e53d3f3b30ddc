package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.millrace.gateway.archive.CommonsArchives.Place;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Scans archives with random damage. However their bytes come, the outcome is one: members that lie in the archive, and
 * an {@link ArchiveException} or none; in few pieces and little memory. Of what commons-compress reads too, most is the
 * same.
 */
class ArchiveFuzzTest {
    private static final int INPUTS = 10_000;
    private static final long SEED = 30;

    /** The memory that one archive may take: the tail of a zip, an extended header, and what is thrown. */
    private static final long MOST_BYTES = 8L << 20;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private int compared;
    private int same;
    private int failed;

    @ParameterizedTest
    @EnumSource(ArchiveFormat.class)
    void damagedArchivesDoNoHarm(ArchiveFormat format) throws IOException {
        run(format, INPUTS, SEED);
    }

    @ParameterizedTest
    @EnumSource(ArchiveFormat.class)
    @Tag("long")
    void moreDamagedArchivesDoNoHarm(ArchiveFormat format) throws IOException {
        run(format, Integer.getInteger("fuzz.inputs", 5_000_000), Long.getLong("fuzz.seed", 1));
    }

    private void run(ArchiveFormat format, int inputs, long seed) throws IOException {
        DamagedArchives archives = new DamagedArchives(seed);
        Random random = new Random(seed);
        for (int i = 0; i < inputs; i++) {
            byte[] archive = archives.next(format);
            try {
                check(format, archive, random);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(
                        "seed %d, input %d: %s"
                                .formatted(seed, i, HexFormat.of().formatHex(archive)),
                        e);
            }
        }
        assertThat(failed).isBetween(inputs / 10, inputs - inputs / 100);
        assertThat(compared).isGreaterThan(inputs / 100);
        // It guesses at names that are not UTF-8, and reads prefixes that a damaged magic does not promise.
        assertThat(same).isGreaterThan(compared * 3 / 4);
    }

    private void check(ArchiveFormat format, byte[] archive, Random random) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        Scan scan = Scan.of(format, archive);
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(MOST_BYTES);
        assertThat(scan.pieces()).isLessThanOrEqualTo(3 + archive.length / 512);
        Scan inPieces = Scan.inPieces(format, archive, random, 1 + random.nextInt(1000));
        assertThat(inPieces.outcome()).isEqualTo(scan.outcome());

        MemberIndexBuilder builder = new MemberIndexBuilder(format, ArchiveLimits.defaults());
        for (ArchiveMember member : scan.members()) {
            assertThat(member.position()).isBetween(0L, (long) archive.length);
            assertThat(member.storedSize()).isBetween(0L, archive.length - member.position());
            builder.member(member);
        }
        MemberIndex index = scan.failure() == null ? builder.build() : builder.build(scan.failure());
        assertThat(MemberIndex.decode(index.encoded())).isPresent();
        right(format, scan).forEach(name -> assertThat(index.find(name)).isNotNegative());
        if (scan.failure() == null) {
            compare(format, archive, scan);
        } else {
            assertThat(scan.failure().position()).isBetween(0L, (long) archive.length);
            failed++;
        }
    }

    /** Returns the names of which the first entry is served: in a zip, entries behind the damage may overlap. */
    private static Set<String> right(ArchiveFormat format, Scan scan) {
        Set<String> names = new HashSet<>();
        Set<String> wrong = new HashSet<>();
        for (ArchiveMember member : scan.members()) {
            boolean isRight = format == ArchiveFormat.TAR
                    || scan.failure() == null
                    || member.position() < scan.failure().position();
            if (!names.contains(member.name()) && !wrong.contains(member.name())) {
                (isRight ? names : wrong).add(member.name());
            }
        }
        return names;
    }

    private void compare(ArchiveFormat format, byte[] archive, Scan scan) {
        List<Place> others;
        try {
            others = CommonsArchives.files(format, archive);
        } catch (IOException | RuntimeException e) {
            return;
        }
        Set<Place> expected = new HashSet<>();
        for (Place other : others) {
            byte[] bytes = other.name().getBytes(StandardCharsets.UTF_8);
            MemberName name = MemberName.of(bytes, 0, bytes.length, 1024);
            if (name.hidden() == null) {
                expected.add(new Place(name.text(), other.position(), other.storedSize(), other.size()));
            }
        }
        Set<Place> found = new HashSet<>();
        scan.members().forEach(member -> found.add(Place.of(member)));
        compared++;
        same += found.equals(expected) ? 1 : 0;
    }
}
