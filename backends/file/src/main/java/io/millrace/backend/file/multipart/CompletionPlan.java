package io.millrace.backend.file.multipart;

import io.millrace.backend.file.metadata.ContentMetadata;
import io.millrace.backend.file.metadata.PartSizes;
import io.millrace.backend.file.metadata.StorableHeaders;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The validated parts and the resulting object metadata of a CompleteMultipartUpload request, computed without reading
 * the parts' bytes.
 *
 * @param parts in the order of the object
 */
record CompletionPlan(StoredUpload upload, List<PartFile> parts, HeaderList headers) {
    /** Minimum size in bytes of every part except the last, as in S3. */
    private static final long MIN_PART_BYTES = 5 << 20;

    /**
     * Checks the stored parts against the request.
     *
     * @param found the stored part for each named one
     * @param given the headers of the completion
     * @throws io.millrace.backend.spi.BackendException with S3's error if they do not match
     */
    static CompletionPlan of(StoredUpload upload, List<CompletedPart> named, List<PartFile> found, HeaderList given) {
        for (int i = 0; i < named.size(); i++) {
            check(named.get(i), found.get(i));
        }
        for (PartFile part : found.subList(0, found.size() - 1)) {
            if (part.content().size() < MIN_PART_BYTES) {
                throw InvalidRequestErrors.entityTooSmall(part.number());
            }
        }
        CompletionPlan assembly = new CompletionPlan(upload, found, headers(upload, found, given));
        checkSize(assembly.size(), given);
        return assembly;
    }

    /**
     * @throws io.millrace.backend.spi.BackendException with S3's error if the numbers do not ascend
     */
    static void checkOrder(List<CompletedPart> named) {
        if (named.isEmpty()) {
            throw InvalidRequestErrors.error("MalformedXML", "You must specify at least one part");
        }
        int before = 0;
        for (CompletedPart part : named) {
            if (part.number() <= before) {
                throw InvalidRequestErrors.invalidPartOrder();
            }
            before = part.number();
        }
    }

    long size() {
        return parts.stream().mapToLong(part -> part.content().size()).sum();
    }

    /** Returns the metadata to store with the object. */
    ContentMetadata contentMetadata(Instant modified) {
        List<Long> sizes = parts.stream().map(part -> part.content().size()).toList();
        return new ContentMetadata(size(), modified, tag(), headers, PartSizes.of(sizes));
    }

    /** Returns the ETag of a multipart object: the MD5 of the parts' MD5s, and their count. */
    private ETag tag() {
        HashDigest md5 = HashDigest.of("MD5");
        parts.forEach(
                part -> md5.update(HexFormat.of().parseHex(part.content().tag().opaque())));
        return ETag.strong(HexFormat.of().formatHex(md5.bytes()) + "-" + parts.size());
    }

    private static void check(CompletedPart named, PartFile found) {
        boolean same = found.content().tag().matchesWeakly(named.eTag());
        for (HeaderField sum : StorableHeaders.checksums(named.checksums()).fields()) {
            Optional<String> present = found.checksums().first(sum.name());
            same = same && present.map(sum.value()::equals).orElse(true);
        }
        if (!same) {
            throw InvalidRequestErrors.invalidPart(named.number());
        }
    }

    private static HeaderList headers(StoredUpload upload, List<PartFile> parts, HeaderList given) {
        HeaderList stored = StorableHeaders.withoutChecksums(StorableHeaders.storable(upload.headers()));
        Optional<UploadChecksum> sum = upload.checksum();
        if (sum.isEmpty()) {
            return stored;
        }
        given.first(StorableHeaders.CHECKSUM_TYPE)
                .filter(type -> !type.equals(sum.get().type()))
                .ifPresent(type -> {
                    throw InvalidRequestErrors.error(
                            "InvalidRequest",
                            "The upload was created using the %s checksum mode. The complete request must use the same."
                                    .formatted(sum.get().type()));
                });
        ChecksumAlgorithm algorithm = sum.get().algorithm();
        String value = sum.get().combine(sums(parts, algorithm));
        if (!given.first(algorithm.headerName()).orElse(value).equals(value)) {
            throw InvalidRequestErrors.badDigest(algorithm);
        }
        return stored.with(algorithm.headerName(), value)
                .with(StorableHeaders.CHECKSUM_TYPE, sum.get().type());
    }

    private static List<UploadChecksum.PartChecksum> sums(List<PartFile> parts, ChecksumAlgorithm algorithm) {
        List<UploadChecksum.PartChecksum> sums = new ArrayList<>();
        for (PartFile part : parts) {
            String value = part.checksums()
                    .first(algorithm.headerName())
                    .orElseThrow(() -> InvalidRequestErrors.invalidPart(part.number()));
            sums.add(new UploadChecksum.PartChecksum(value, part.content().size()));
        }
        return sums;
    }

    private static void checkSize(long size, HeaderList given) {
        given.first("x-amz-mp-object-size")
                .filter(listed -> !listed.equals(Long.toString(size)))
                .ifPresent(listed -> {
                    throw InvalidRequestErrors.error(
                            "InvalidRequest",
                            "The provided 'x-amz-mp-object-size' header value %s does not match what was computed: %d"
                                    .formatted(listed, size));
                });
    }
}
