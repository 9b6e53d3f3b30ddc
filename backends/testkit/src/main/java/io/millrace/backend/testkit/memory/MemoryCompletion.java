package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The content and headers of a completed multipart upload, after validating its parts. */
final class MemoryCompletion {
    private static final int SMALLEST = 5 << 20;

    private final MemoryUpload upload;
    private final List<byte[]> bytes = new ArrayList<>();
    private final HeaderList fields;

    /**
     * @throws io.millrace.backend.spi.BackendException in S3's words if the parts cannot be put together
     */
    MemoryCompletion(MemoryUpload upload, List<CompletedPart> named, HeaderList headers) {
        this.upload = upload;
        if (named.isEmpty()) {
            throw MemoryWriter.s3Error("MalformedXML", "there is no part to make an object of");
        }
        int before = 0;
        for (CompletedPart part : named) {
            if (part.number() <= before) {
                throw MemoryWriter.s3Error("InvalidPartOrder", "parts come in ascending order");
            }
            before = part.number();
        }
        named.forEach(part -> bytes.add(part(part).bytes()));
        if (bytes.subList(0, bytes.size() - 1).stream().anyMatch(part -> part.length < SMALLEST)) {
            throw MemoryWriter.s3Error("EntityTooSmall", "a part but the last is smaller than 5 MiB");
        }
        long size = bytes.stream().mapToLong(part -> part.length).sum();
        if (!headers.first("x-amz-mp-object-size").orElse("" + size).equals("" + size)) {
            throw MemoryWriter.s3Error("InvalidRequest", "the parts have %d bytes".formatted(size));
        }
        fields = summed(headers);
    }

    /** The parts, in order. */
    List<byte[]> bytes() {
        return bytes;
    }

    /** Returns the headers of the object. */
    HeaderList fields() {
        return fields;
    }

    private MemoryUpload.MemoryPart part(CompletedPart named) {
        MemoryUpload.MemoryPart part = upload.parts().get(named.number());
        boolean same = part != null
                && part.tag().matchesWeakly(named.eTag())
                && part.checksums().fields().containsAll(named.checksums().fields());
        if (part == null || !same) {
            throw MemoryWriter.s3Error("InvalidPart", "part %d is not there, or another".formatted(named.number()));
        }
        return part;
    }

    private HeaderList summed(HeaderList headers) {
        HeaderList kept = WriteHeaderPolicy.withoutChecksums(
                WriteHeaderPolicy.storable(InMemoryBackend.TYPE, upload.object().headers()));
        Optional<ReferenceChecksum> sum = upload.checksum();
        if (sum.isEmpty()) {
            return kept;
        }
        String value = upload.isComposite()
                ? sum.get().composite(bytes)
                : sum.get().compute(ReferenceChecksum.concatenated(bytes));
        if (!headers.first(sum.get().headerName()).orElse(value).equals(value)) {
            throw MemoryWriter.s3Error("BadDigest", "the checksum is " + value);
        }
        return kept.with(sum.get().headerName(), value)
                .with("x-amz-checksum-type", upload.isComposite() ? "COMPOSITE" : "FULL_OBJECT");
    }
}
