package io.millrace.backend.file;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.HashDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * What the parts of an upload become, decided from what is known of them: no byte of them is read for it.
 *
 * @param parts in the object's order
 */
record Assembly(UploadInfo upload, List<PartFile> parts, HeaderList headers) {
    /** S3's smallest part but the last. */
    private static final long SMALLEST = 5 << 20;

    /**
     * Holds the parts against what the client says of them.
     *
     * @param found a part for each that is named
     * @param given the fields of the completion
     * @throws io.millrace.backend.spi.BackendException in S3's words if they do not agree
     */
    static Assembly of(UploadInfo upload, List<NamedPart> named, List<PartFile> found, HeaderList given) {
        for (int i = 0; i < named.size(); i++) {
            check(named.get(i), found.get(i));
        }
        for (PartFile part : found.subList(0, found.size() - 1)) {
            if (part.content().size() < SMALLEST) {
                throw Refused.entityTooSmall(part.number());
            }
        }
        Assembly assembly = new Assembly(upload, found, headers(upload, found, given));
        checkSize(assembly.size(), given);
        return assembly;
    }

    /**
     * @throws io.millrace.backend.spi.BackendException in S3's words if the numbers do not rise
     */
    static void checkOrder(List<NamedPart> named) {
        if (named.isEmpty()) {
            throw Refused.of("MalformedXML", "You must specify at least one part");
        }
        int before = 0;
        for (NamedPart part : named) {
            if (part.number() <= before) {
                throw Refused.invalidPartOrder();
            }
            before = part.number();
        }
    }

    long size() {
        return parts.stream().mapToLong(part -> part.content().size()).sum();
    }

    /** What is stored beside the object's bytes. */
    StoredContent content(Instant modified) {
        List<Long> sizes = parts.stream().map(part -> part.content().size()).toList();
        return new StoredContent(size(), modified, tag(), headers, PartSizes.of(sizes));
    }

    /** The MD5 of the parts' MD5s, and their count. */
    private ETag tag() {
        HashDigest md5 = HashDigest.of("MD5");
        parts.forEach(
                part -> md5.update(HexFormat.of().parseHex(part.content().tag().opaque())));
        return ETag.strong(HexFormat.of().formatHex(md5.bytes()) + "-" + parts.size());
    }

    private static void check(NamedPart named, PartFile found) {
        boolean same = found.content().tag().matchesWeakly(named.eTag());
        for (Field sum : StoredFields.sums(named.checksums()).fields()) {
            Optional<String> there = found.sums().first(sum.name());
            same = same && there.map(sum.value()::equals).orElse(true);
        }
        if (!same) {
            throw Refused.invalidPart(named.number());
        }
    }

    private static HeaderList headers(UploadInfo upload, List<PartFile> parts, HeaderList given) {
        HeaderList stored = StoredFields.withoutSums(StoredFields.of(upload.headers()));
        Optional<UploadSum> sum = upload.sum();
        if (sum.isEmpty()) {
            return stored;
        }
        given.first(StoredFields.TYPE)
                .filter(type -> !type.equals(sum.get().type()))
                .ifPresent(type -> {
                    throw Refused.of(
                            "InvalidRequest",
                            "The upload was created using the %s checksum mode. The complete request must use the same."
                                    .formatted(sum.get().type()));
                });
        ChecksumAlgorithm algorithm = sum.get().algorithm();
        String value = sum.get().over(sums(parts, algorithm));
        if (!given.first(algorithm.headerName()).orElse(value).equals(value)) {
            throw Refused.badDigest(algorithm);
        }
        return stored.with(algorithm.headerName(), value)
                .with(StoredFields.TYPE, sum.get().type());
    }

    private static List<UploadSum.Part> sums(List<PartFile> parts, ChecksumAlgorithm algorithm) {
        List<UploadSum.Part> sums = new ArrayList<>();
        for (PartFile part : parts) {
            String value =
                    part.sums().first(algorithm.headerName()).orElseThrow(() -> Refused.invalidPart(part.number()));
            sums.add(new UploadSum.Part(value, part.content().size()));
        }
        return sums;
    }

    private static void checkSize(long size, HeaderList given) {
        given.first("x-amz-mp-object-size")
                .filter(told -> !told.equals(Long.toString(size)))
                .ifPresent(told -> {
                    throw Refused.of(
                            "InvalidRequest",
                            "The provided 'x-amz-mp-object-size' header value %s does not match what was computed: %d"
                                    .formatted(told, size));
                });
    }
}
