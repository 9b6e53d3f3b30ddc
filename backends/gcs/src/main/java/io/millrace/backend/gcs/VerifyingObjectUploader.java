package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Stores objects, and compares the CRC32C that the server reports with that of the bytes that were sent. An object with
 * another one is deleted.
 */
record VerifyingObjectUploader(StorageJsonApi api) {
    /** Stores an object. */
    Mono<ObjectDescription> put(
            ObjectRef object, NewObjectMetadata fields, GenerationCondition condition, UploadBody body) {
        return Mono.defer(() -> {
            ChecksumDigest crc32c = ChecksumAlgorithm.CRC32C.newDigest();
            UploadBody digested = new UploadBody(body.length(), body.pieces().doOnNext(crc32c::update), body.trailer());
            return api.insert(object, fields, condition, digested)
                    .flatMap(stored -> verified(object, stored, body.length(), crc32c.base64()));
        });
    }

    private Mono<ObjectDescription> verified(ObjectRef object, ObjectDescription stored, long size, String sent) {
        if (stored.size() == size && stored.crc32c().map(sent::equals).orElse(true)) {
            return Mono.just(stored);
        }
        BackendException corrupt = new BackendException(
                FailureKind.INVALID_RESPONSE,
                "%s: the server has stored other bytes than were sent: CRC32C %s of %d bytes, not %s of %d"
                        .formatted(object, stored.crc32c().orElse("unknown"), stored.size(), sent, size));
        return api.delete(object, Optional.empty(), GenerationCondition.of(stored.generation()))
                .onErrorComplete()
                .then(Mono.error(corrupt));
    }
}
