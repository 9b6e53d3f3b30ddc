package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ETag;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * A maker of objects of others: a service, and all that decides beside the bytes what it makes of them.
 *
 * @param name in the settings
 */
record Transform(String name, TransformSettings settings, TransformService service) {
    private static final int TAG_BYTES = 16;

    /**
     * Returns the text that stands for the making of a result: of which version of which object, by which version of
     * the transform, with which arguments. Results of two makings are never taken for each other.
     *
     * @param place of the object: tags of two objects say nothing of each other
     * @param tag what tells the versions of the object apart
     */
    String making(String place, String tag, long size) {
        String all = String.join("\0", name, settings.version(), settings.args(), place, tag, Long.toString(size));
        return HexFormat.of().formatHex(HashDigest.sha256(all.getBytes(StandardCharsets.UTF_8)), 0, TAG_BYTES);
    }

    /** Returns the {@link #making} of the result for an object with this metadata. */
    String making(String place, ObjectHead of) {
        // What listings show of it too, if it tells versions apart.
        Optional<String> shown = of.eTag().filter(tag -> !tag.weak()).map(ETag::toString);
        return making(place, shown.orElseGet(() -> of.version().validator()), of.size());
    }
}
