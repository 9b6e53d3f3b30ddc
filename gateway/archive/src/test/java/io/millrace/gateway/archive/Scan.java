package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The members and the failure that a scanner found in an archive.
 *
 * @param pieces how often it was given bytes
 * @param read how many bytes it was given
 */
record Scan(
        List<ArchiveMember> members,
        Map<HiddenReason, Integer> hidden,
        @Nullable ArchiveException failure,
        int pieces,
        long read) {
    /** Reads bytes of an archive. */
    interface Source {
        void read(long position, byte[] into);
    }

    /** Scans an archive by bringing just what is wanted. */
    static Scan of(ArchiveFormat format, byte[] archive) {
        return of(format, archive, ArchiveLimits.defaults());
    }

    static Scan of(ArchiveFormat format, byte[] archive, ArchiveLimits limits) {
        return of(format, in(archive), archive.length, limits);
    }

    static Scan of(ArchiveFormat format, Source source, long size, ArchiveLimits limits) {
        Collected collected = new Collected();
        return collected.scan(() -> {
            ArchiveScanner scanner = ArchiveScanner.of(format, size, limits, collected);
            while (!scanner.isDone()) {
                // A directory is wanted as a whole, and is brought in pieces that have room anywhere.
                int length = (int) Math.min(scanner.wantedLength(), 1 << 20);
                assertThat(length).isPositive();
                collected.bring(scanner, source, scanner.wanted(), length);
            }
            scanner.verify();
        });
    }

    /** Scans an archive in pieces of random sizes; a tar from its beginning to its end. */
    static Scan inPieces(ArchiveFormat format, byte[] archive, Random random, int longest) {
        Collected collected = new Collected();
        return collected.scan(() -> {
            ArchiveScanner scanner = ArchiveScanner.of(format, archive.length, ArchiveLimits.defaults(), collected);
            for (long position = 0; !scanner.isDone(); ) {
                if (format == ArchiveFormat.ZIP) {
                    position = Math.max(0, scanner.wanted() - random.nextInt(3));
                }
                int length = (int) Math.min(1 + random.nextInt(longest) + scanner.wanted() - position, 1 << 20);
                length = (int) Math.min(length, archive.length - position);
                assertThat(length).isPositive();
                collected.bring(scanner, in(archive), position, length);
                position += length;
            }
            scanner.verify();
        });
    }

    static Source in(byte[] archive) {
        return (position, into) -> System.arraycopy(archive, (int) position, into, 0, into.length);
    }

    List<String> names() {
        return members.stream().map(ArchiveMember::name).toList();
    }

    /** Returns the data of a member. */
    byte[] data(String name, byte[] archive) {
        ArchiveMember member = members.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        long position = member.position();
        if (member.crc32().isPresent()) {
            ByteBuffer header = ByteBuffer.wrap(archive, (int) position, ZipLocalHeader.BYTES);
            position = ZipLocalHeader.dataPosition(header, member, archive.length);
        }
        return Arrays.copyOfRange(archive, (int) position, (int) (position + member.storedSize()));
    }

    /** Returns this scan without how it was made. */
    List<Object> outcome() {
        return failure == null
                ? List.of(members, hidden)
                : List.of(members, hidden, failure.kind(), failure.position(), failure.getMessage());
    }

    /** A consumer that keeps everything. */
    private static final class Collected implements MemberConsumer {
        private final List<ArchiveMember> members = new ArrayList<>();
        private final Map<HiddenReason, Integer> hidden = new EnumMap<>(HiddenReason.class);
        private int pieces;
        private long read;

        Scan scan(Runnable driver) {
            ArchiveException failure = null;
            try {
                driver.run();
            } catch (ArchiveException e) {
                failure = e;
            }
            return new Scan(members, hidden, failure, pieces, read);
        }

        void bring(ArchiveScanner scanner, Source source, long position, int length) {
            byte[] bytes = new byte[length];
            source.read(position, bytes);
            pieces++;
            read += length;
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            scanner.accept(buffer, position);
            assertThat(buffer.hasRemaining()).isFalse();
        }

        @Override
        public void member(ArchiveMember member) {
            members.add(member);
        }

        @Override
        public void hidden(HiddenReason reason) {
            hidden.merge(reason, 1, Integer::sum);
        }
    }
}
