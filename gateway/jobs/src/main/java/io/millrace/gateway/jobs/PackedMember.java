package io.millrace.gateway.jobs;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ETag;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.plan.PlanItem.Listed;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/**
 * A member of a shard that a pack makes: an object of the source as it was listed.
 *
 * @param key as clients name it
 * @param tag its ETag; empty if the listing had none
 * @param modified in seconds since 1970
 */
record PackedMember(String key, long size, String tag, long modified) {
    private static final int LONGEST_TAG = 1024;

    /**
     * Converts an item of a listing.
     *
     * @throws PlanException if it has no size
     */
    static PackedMember of(PlanItem item) {
        Listed listed = item.listed()
                .orElseThrow(() -> new PlanException("the size of %s is not known".formatted(item.name())));
        return new PackedMember(
                item.name(),
                listed.size(),
                listed.eTag()
                        .map(ETag::toString)
                        .filter(text -> text.length() <= LONGEST_TAG)
                        .orElse(""),
                listed.lastModified().getEpochSecond());
    }

    /** Returns the object as it was listed. */
    Listed listed() {
        Optional<ETag> known = tag.isEmpty() ? Optional.empty() : Optional.of(ETag.parse(tag));
        return new Listed(size, known, Instant.ofEpochSecond(modified));
    }

    /** Returns whether an object is that which was listed, as far as its metadata show. */
    boolean isOf(ObjectHead head) {
        Listed then = listed();
        Listed now = Listed.of(head);
        boolean isSame = (then.eTag().isPresent() && now.eTag().isPresent())
                ? then.eTag().equals(now.eTag())
                : modified == now.lastModified().getEpochSecond();
        return size == now.size() && isSame;
    }

    /** Returns the member as an arrangement stores it. */
    byte[] encoded() {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        byte[] version = tag.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 * Short.BYTES + 2 * Long.BYTES + name.length + version.length)
                .putShort((short) name.length)
                .put(name)
                .putShort((short) version.length)
                .put(version)
                .putLong(size)
                .putLong(modified)
                .array();
    }

    /** Reads an encoded member. */
    static PackedMember read(DataInputStream in) throws IOException {
        String key = text(in);
        String tag = text(in);
        long size = in.readLong();
        return new PackedMember(key, size, tag, in.readLong());
    }

    private static String text(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readUnsignedShort()), StandardCharsets.UTF_8);
    }
}
