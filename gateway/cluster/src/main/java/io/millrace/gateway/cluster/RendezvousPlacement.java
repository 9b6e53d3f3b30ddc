package io.millrace.gateway.cluster;

import io.millrace.backend.spi.checksum.HashDigest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The order in which the members of a cluster are the home of an object: by a score of the object and the member's
 * name alone, so that all members agree on it however their lists differ, and an object changes its home only if that
 * joins or leaves. Immutable.
 */
final class RendezvousPlacement {
    private final Scored self;
    private final List<Scored> others;

    /** A member with the number of its name. */
    private record Scored(String member, long name) {
        static Scored of(String member) {
            byte[] digest = HashDigest.sha256(member.getBytes(StandardCharsets.UTF_8));
            return new Scored(member, ByteBuffer.wrap(digest).getLong());
        }

        long score(long object) {
            return mixed(object ^ name);
        }
    }

    RendezvousPlacement(String self, Collection<String> others) {
        this.self = Scored.of(self);
        this.others = others.stream().map(Scored::of).toList();
    }

    /**
     * Returns the members that are the home of an object before this one, the first choice first. Of any two members
     * only one asks the other, so that none can wait for each other.
     *
     * @param object its number, of which each bit is as good as the others
     */
    List<String> before(long object) {
        long own = self.score(object);
        return others.stream()
                .filter(other -> other.score(object) > own)
                .sorted(Comparator.comparingLong((Scored other) -> other.score(object))
                        .reversed())
                .map(Scored::member)
                .toList();
    }

    /** Spreads each bit over all: the end of MurmurHash3. */
    private static long mixed(long number) {
        long bits = (number ^ (number >>> 33)) * 0xff51afd7ed558ccdL;
        bits = (bits ^ (bits >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return bits ^ (bits >>> 33);
    }
}
