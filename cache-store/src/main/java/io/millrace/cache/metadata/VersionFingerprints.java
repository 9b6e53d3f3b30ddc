package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Computes the fingerprint of an object version, from which the keys of its blocks are derived. Thread-safe. */
public final class VersionFingerprints {
    private final FingerprintHash hash;

    public VersionFingerprints(FingerprintHash hash) {
        this.hash = hash;
    }

    /** Returns the fingerprint of a version; the same for a request with and without a version id. */
    public Fingerprint of(ObjectId id, ObjectVersion version, int blockSize) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte('v');
            ObjectIdCodec.write(ObjectId.current(id.backend(), id.object()), out);
            out.writeUTF(version.strength().name());
            out.writeUTF(version.validator());
            out.writeLong(version.size());
            out.writeUTF(version.versionId().orElse(""));
            out.writeInt(blockSize);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
        return hash.of(bytes.toByteArray());
    }
}
