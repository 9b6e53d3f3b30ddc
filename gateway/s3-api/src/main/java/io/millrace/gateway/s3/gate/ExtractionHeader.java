package io.millrace.gateway.s3.gate;

import io.millrace.auth.Authentication;
import io.millrace.auth.SignatureScheme;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.gateway.s3.protocol.S3Request;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The header {@code x-minio-extract: true}, with which MinIO's clients read and list the members of an archive. The
 * key or the prefix of the request begins with the key of the archive and a slash then.
 *
 * @see <a href="https://docs.min.io/enterprise/aistor-object-store/developers/s3-zip-extension">S3 ZIP extension</a>
 */
final class ExtractionHeader {
    private static final String NAME = "x-minio-extract";

    private static final Set<S3Operation> OPERATIONS = EnumSet.of(
            S3Operation.GET_OBJECT, S3Operation.HEAD_OBJECT, S3Operation.LIST_OBJECTS, S3Operation.LIST_OBJECTS_V2);

    private static final String ZIP = ".zip";

    private ExtractionHeader() {}

    /**
     * Returns the archive whose members a request is about; empty for one about the objects of its bucket.
     *
     * @throws S3Exception AccessDenied if the signature does not cover the header, so that anybody may have added it
     */
    static Optional<ObjectKey> archive(S3Request request, S3Operation operation, Authentication authentication) {
        if (!OPERATIONS.contains(operation)
                || !request.headers().first(NAME).orElse("").equals("true")) {
            return Optional.empty();
        }
        boolean anonymous = authentication instanceof Authentication.Anonymous;
        // The index of a tar may cost a pass over all of it, which a stranger would have for a few bytes.
        Optional<ObjectKey> archive = archiveIn(request).filter(key -> !anonymous || isZip(key.value()));
        if (archive.isPresent()
                && authentication instanceof Authentication.Signed signed
                && signed.scheme() == SignatureScheme.V2_QUERY) {
            throw new S3Exception(
                    S3ErrorCode.ACCESS_DENIED,
                    "Signature version 2 does not sign the header %s: sign with version 4.".formatted(NAME));
        }
        return archive;
    }

    private static Optional<ObjectKey> archiveIn(S3Request request) {
        String text = request.target()
                .key()
                .map(ObjectKey::value)
                .orElseGet(() -> request.target().parameter("prefix").orElse(""));
        if (text.length() > ObjectKey.MAX_BYTES) {
            return Optional.empty();
        }
        DerivedSettings members =
                DerivedSettings.ofAll(request.target().bucket().orElseThrow());
        int length = members.archiveLength(text);
        try {
            return length <= 0 ? Optional.empty() : Optional.of(new ObjectKey(text.substring(0, length)));
        } catch (IllegalArgumentException ofNoObject) {
            return Optional.empty();
        }
    }

    /** Returns whether an archive is a zip, whose index is small. */
    static boolean isZip(String key) {
        return key.regionMatches(true, key.length() - ZIP.length(), ZIP, 0, ZIP.length());
    }
}
