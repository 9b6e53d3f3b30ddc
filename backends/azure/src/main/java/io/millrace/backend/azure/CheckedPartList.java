package io.millrace.backend.azure;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.UnsupportedHeaderErrors;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The parts that a client lists in CompleteMultipartUpload, checked against the blocks that the service holds.
 *
 * @param headers of the request
 */
record CheckedPartList(MultipartUpload upload, List<CompletedPart> parts, HeaderList headers) {
    /** S3's smallest part but the last. */
    private static final long MIN_PART_BYTES = 5 << 20;

    private static final String OBJECT_SIZE = "x-amz-mp-object-size";

    /**
     * Refuses what cannot be verified: a checksum of the whole object.
     *
     * @throws BackendException of kind {@link FailureKind#UNSUPPORTED}
     */
    void requireSupported() {
        for (HeaderField field : headers.fields()) {
            if (!field.name().equals(OBJECT_SIZE) && !field.name().equals(UploadChecksumSpec.TYPE_HEADER)) {
                throw UnsupportedHeaderErrors.error(field.name() + " of a completion", AzureBackendProvider.TYPE);
            }
        }
    }

    /** Identifies this completion: the upload, and a digest of the parts and their tags. */
    String fingerprint() {
        String text = parts.stream()
                .map(part -> part.number() + ":" + part.eTag().opaque())
                .collect(Collectors.joining(","));
        byte[] digest = HashDigest.sha256(text.getBytes(StandardCharsets.UTF_8));
        return upload.uploadId() + "-" + Base64Digest.encode(digest);
    }

    /**
     * Returns the Put Block List.
     *
     * @param properties with which the object is written
     * @param fingerprintHeader metadata by which a repeated completion finds out that the first succeeded
     * @throws BackendException in S3's words if parts are missing, out of order or too small
     */
    BlobRequest request(
            UploadBlockList blocks, List<HeaderField> properties, String fingerprintHeader, WriteCondition condition) {
        List<UploadBlockList.Part> found = resolve(blocks);
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>");
        found.stream()
                .map(UploadBlockList.Part::block)
                .filter(block -> !block.empty())
                .forEach(block ->
                        xml.append("<Uncommitted>").append(block.toBase64()).append("</Uncommitted>"));
        byte[] bytes = xml.append("</BlockList>").toString().getBytes(StandardCharsets.US_ASCII);
        return BlobRequest.to("PUT", upload.object())
                .with("comp", "blocklist")
                .withHeaders(properties)
                .withHeader(fingerprintHeader, fingerprint())
                .withHeader("content-type", "application/xml")
                .withHeaders(WriteConditionHeaders.of(condition))
                .withBody(ByteBuffer.wrap(bytes));
    }

    private List<UploadBlockList.Part> resolve(UploadBlockList blocks) {
        List<UploadBlockList.Part> found = new ArrayList<>();
        int before = 0;
        for (CompletedPart part : parts) {
            if (part.number() <= before) {
                throw invalid("InvalidPartOrder", "The list of parts was not in ascending order");
            }
            before = part.number();
            found.add(blocks.find(part.number(), part.eTag())
                    .orElseThrow(() -> invalid(
                            "InvalidPart",
                            ("Part %d was not found, or its tag differs. Another write to the key discards the parts of"
                                                    + " an")
                                            .formatted(part.number())
                                    + " upload, and so does a week without a part")));
        }
        requireSizes(found);
        return found;
    }

    private void requireSizes(List<UploadBlockList.Part> found) {
        for (UploadBlockList.Part part : found.subList(0, Math.max(found.size() - 1, 0))) {
            if (part.size() < MIN_PART_BYTES) {
                throw invalid("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size");
            }
        }
        long size = found.stream().mapToLong(UploadBlockList.Part::size).sum();
        headers.first(OBJECT_SIZE)
                .filter(said -> !said.equals(String.valueOf(size)))
                .ifPresent(said -> {
                    throw invalid("InvalidRequest", "The parts have %d bytes, not %s".formatted(size, said));
                });
    }

    private static BackendException invalid(String code, String message) {
        return new BackendException(FailureKind.INVALID_REQUEST, message).withS3Error(new S3Error(400, code, message));
    }
}
