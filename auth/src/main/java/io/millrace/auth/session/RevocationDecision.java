package io.millrace.auth.session;

import io.millrace.backend.spi.checksum.HashDigest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A revocation, or that it was lifted, with what orders it among other decisions on the same credentials: gateways that
 * have merged the same ones, in whatever order and however often, refuse the same credentials.
 *
 * @param name as of {@link Revocation}; at most 256 characters
 * @param before as of {@link Revocation}; empty if the revocation was lifted
 * @param at when it was decided, and after all decisions that were known then; one that lifts a revocation is right
 *     after that, so that it lifts none that it did not know. Before the year 10000
 */
public record RevocationDecision(RevocationTarget target, String name, Optional<Instant> before, Instant at) {
    private static final Pattern NAME = Pattern.compile("[!-~]{1,256}");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    /** @throws IllegalArgumentException if there are no such credentials, or not at such a time */
    public RevocationDecision {
        if (target == RevocationTarget.ALL
                ? !name.isEmpty()
                : !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("the name of what is revoked is impossible");
        }
        if (at.isAfter(LATEST)) {
            throw new IllegalArgumentException("the time of a decision is impossible");
        }
    }

    /** Returns what all decisions on the same credentials have in common, and no others. */
    public String key() {
        return key(target, name);
    }

    static String key(RevocationTarget target, String name) {
        return target.name() + '\t' + name;
    }

    /** Returns a number that other decisions do not have, but for one case in 2⁶⁴. */
    long digest() {
        String text = String.join("\t", key(), before.map(Instant::toString).orElse(""), at.toString());
        return ByteBuffer.wrap(HashDigest.sha256(text.getBytes(StandardCharsets.UTF_8)))
                .getLong();
    }

    /** Returns the revocation that it puts in force; empty if it lifts one. */
    Optional<Revocation> revocation() {
        return before.map(until -> new Revocation(target, name, until));
    }

    boolean isLifted() {
        return before.isEmpty();
    }

    /**
     * Returns what holds after both decisions on the same credentials: the later one, of two at the same time that
     * which revokes, and of two that revoke all that either does.
     */
    RevocationDecision and(RevocationDecision other) {
        if (before.isPresent() && other.before.isPresent()) {
            return new RevocationDecision(
                    target, name, Optional.of(later(before.get(), other.before.get())), later(at, other.at));
        }
        int order = at.compareTo(other.at);
        if (order == 0) {
            return isLifted() ? other : this;
        }
        return order > 0 ? this : other;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    /** Returns this one as if it was decided after another on the same credentials, if that is known. */
    RevocationDecision after(Optional<RevocationDecision> known) {
        return known.filter(one -> !one.at.isBefore(at))
                .map(one -> new RevocationDecision(target, name, before, one.at.plusNanos(1)))
                .orElse(this);
    }
}
