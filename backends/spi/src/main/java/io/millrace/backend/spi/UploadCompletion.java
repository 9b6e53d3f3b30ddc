package io.millrace.backend.spi;

import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The validated parts of a CompleteMultipartUpload request and the tag, size and checksum of the object, computed
 * without the parts' bytes.
 *
 * @param parts in the order of the object
 * @param checksums the checksum of the object and its type, as headers; empty if the upload asked for none
 */
public record UploadCompletion(List<ListedPart> parts, HeaderList checksums) {
    /** Minimum size in bytes of every part except the last, as in S3. */
    private static final long MIN_PART_BYTES = 5 << 20;

    /**
     * Checks the stored parts against the request.
     *
     * @param wanted the checksum that the upload was created with
     * @param found the stored part for each named one; its tag is its MD5
     * @param given the headers of the completion
     * @throws io.millrace.backend.spi.BackendException with S3's error if they do not match
     */
    public static UploadCompletion of(
            Optional<UploadChecksumSpec> wanted, List<CompletedPart> named, List<ListedPart> found, HeaderList given) {
        for (int i = 0; i < named.size(); i++) {
            check(named.get(i), found.get(i));
        }
        for (ListedPart part : found.subList(0, found.size() - 1)) {
            if (part.size() < MIN_PART_BYTES) {
                throw InvalidRequestErrors.entityTooSmall(part.number());
            }
        }
        UploadCompletion completion = new UploadCompletion(List.copyOf(found), checksums(wanted, found, given));
        checkSize(completion.size(), given);
        return completion;
    }

    /**
     * Checks the order of the named parts.
     *
     * @throws io.millrace.backend.spi.BackendException with S3's error if their numbers do not ascend
     */
    public static void checkOrder(List<CompletedPart> named) {
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

    /** Returns the bytes of the object. */
    public long size() {
        return parts.stream().mapToLong(ListedPart::size).sum();
    }

    /** Returns the tag of the object. */
    public ETag eTag() {
        return tagOf(parts.stream().map(ListedPart::eTag).toList());
    }

    /**
     * Returns S3's ETag of a multipart object: the MD5 of the parts' MD5s, and their count.
     *
     * @throws IllegalArgumentException if one of the tags is no MD5
     */
    public static ETag tagOf(List<ETag> partTags) {
        HashDigest md5 = HashDigest.of("MD5");
        partTags.forEach(tag -> md5.update(HexFormat.of().parseHex(tag.opaque())));
        return ETag.strong(HexFormat.of().formatHex(md5.bytes()) + "-" + partTags.size());
    }

    private static void check(CompletedPart named, ListedPart found) {
        boolean same = found.eTag().matchesWeakly(named.eTag());
        for (HeaderField sum : named.checksums().fields()) {
            boolean computed = ChecksumAlgorithm.ofHeader(sum.name())
                    .filter(ChecksumAlgorithm::isComputed)
                    .isPresent();
            Optional<String> present = found.checksums().first(sum.name());
            same = same && (!computed || present.map(sum.value()::equals).orElse(true));
        }
        if (!same) {
            throw InvalidRequestErrors.invalidPart(named.number());
        }
    }

    private static HeaderList checksums(Optional<UploadChecksumSpec> wanted, List<ListedPart> parts, HeaderList given) {
        if (wanted.isEmpty()) {
            return HeaderList.EMPTY;
        }
        UploadChecksumSpec sum = wanted.get();
        given.first(UploadChecksumSpec.TYPE_HEADER)
                .filter(type -> !type.equals(sum.type()))
                .ifPresent(type -> {
                    throw InvalidRequestErrors.error(
                            "InvalidRequest",
                            "The upload was created using the %s checksum mode. The complete request must use the same."
                                    .formatted(sum.type()));
                });
        ChecksumAlgorithm algorithm = sum.algorithm();
        String value = sum.combine(sums(parts, algorithm));
        if (!given.first(algorithm.headerName()).orElse(value).equals(value)) {
            throw InvalidRequestErrors.badDigest(algorithm);
        }
        return HeaderList.EMPTY.with(algorithm.headerName(), value).with(UploadChecksumSpec.TYPE_HEADER, sum.type());
    }

    private static List<UploadChecksumSpec.PartChecksum> sums(List<ListedPart> parts, ChecksumAlgorithm algorithm) {
        List<UploadChecksumSpec.PartChecksum> sums = new ArrayList<>();
        for (ListedPart part : parts) {
            String value = part.checksums()
                    .first(algorithm.headerName())
                    .orElseThrow(() -> InvalidRequestErrors.invalidPart(part.number()));
            sums.add(new UploadChecksumSpec.PartChecksum(value, part.size()));
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
