package io.millrace.backend.file;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The metadata that CopyObject takes over from the source object, and the checksum that it must compute for the copy.
 *
 * @param headers the headers that the copy is stored with, except for checksums
 * @param tag the source's ETag, if it is the MD5 of the bytes; that of a multipart upload is not
 * @param checksums the source's checksums, if they are of the bytes
 * @param checksumToCompute the checksum to compute instead
 */
record CopyMetadata(
        HeaderList headers, Optional<ETag> tag, HeaderList checksums, Optional<ChecksumAlgorithm> checksumToCompute) {
    private static final Pattern MD5 = Pattern.compile("[0-9a-f]{32}");

    /**
     * @param replaces whether the given headers replace the source's
     * @param requested the checksum algorithm that the client requested
     */
    static CopyMetadata of(
            ObjectHead source, boolean replaces, HeaderList given, Optional<ChecksumAlgorithm> requested) {
        HeaderList headers = replaces
                ? WriteHeaderPolicy.withoutChecksums(given)
                : WriteHeaderPolicy.copyable(source.headers()).with(WriteHeaderPolicy.redirectOnly(given));
        Optional<ETag> tag =
                source.eTag().filter(stored -> MD5.matcher(stored.opaque()).matches());
        HeaderList sums = WriteHeaderPolicy.checksums(source.headers());
        boolean composite = source.headers().first(UploadChecksumSpec.TYPE_HEADER).stream()
                .anyMatch(UploadChecksumSpec.COMPOSITE::equals);
        Optional<ChecksumAlgorithm> wanted = requested.or(() -> composite ? algorithm(sums) : Optional.empty());
        boolean isStored = !composite
                && wanted.map(algorithm -> sums.first(algorithm.headerName()).isPresent())
                        .orElse(true);
        return isStored
                ? new CopyMetadata(headers, tag, sums, Optional.empty())
                : new CopyMetadata(headers, tag, HeaderList.EMPTY, wanted);
    }

    /** Returns whether the bytes need not be read for a digest. */
    boolean needsNoRead() {
        return tag.isPresent() && checksumToCompute.isEmpty();
    }

    private static Optional<ChecksumAlgorithm> algorithm(HeaderList sums) {
        return sums.fields().stream().findFirst().flatMap(field -> ChecksumAlgorithm.ofHeader(field.name()));
    }
}
