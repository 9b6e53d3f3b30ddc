package io.millrace.backend.testkit;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What an upload becomes, if the client names its parts rightly. */
final class MemoryCompletion {
    private static final int SMALLEST = 5 << 20;

    private final MemoryUpload upload;
    private final List<byte[]> bytes = new ArrayList<>();
    private final HeaderList fields;

    /**
     * @throws io.millrace.backend.spi.BackendException in S3's words if the parts cannot be put together
     */
    MemoryCompletion(MemoryUpload upload, List<NamedPart> named, HeaderList headers) {
        this.upload = upload;
        if (named.isEmpty()) {
            throw MemoryWrites.refused("MalformedXML", "there is no part to make an object of");
        }
        int before = 0;
        for (NamedPart part : named) {
            if (part.number() <= before) {
                throw MemoryWrites.refused("InvalidPartOrder", "parts come in ascending order");
            }
            before = part.number();
        }
        named.forEach(part -> bytes.add(part(part).bytes()));
        if (bytes.subList(0, bytes.size() - 1).stream().anyMatch(part -> part.length < SMALLEST)) {
            throw MemoryWrites.refused("EntityTooSmall", "a part but the last is smaller than 5 MiB");
        }
        long size = bytes.stream().mapToLong(part -> part.length).sum();
        if (!headers.first("x-amz-mp-object-size").orElse("" + size).equals("" + size)) {
            throw MemoryWrites.refused("InvalidRequest", "the parts have %d bytes".formatted(size));
        }
        fields = summed(headers);
    }

    /** The parts, in order. */
    List<byte[]> bytes() {
        return bytes;
    }

    /** What the object is stored with. */
    HeaderList fields() {
        return fields;
    }

    private MemoryUpload.Part part(NamedPart named) {
        MemoryUpload.Part part = upload.parts().get(named.number());
        boolean same = part != null
                && part.tag().matchesWeakly(named.eTag())
                && part.sums().fields().containsAll(named.checksums().fields());
        if (part == null || !same) {
            throw MemoryWrites.refused("InvalidPart", "part %d is not there, or another".formatted(named.number()));
        }
        return part;
    }

    private HeaderList summed(HeaderList headers) {
        HeaderList kept =
                MemoryFields.withoutChecksums(MemoryFields.kept(upload.object().headers()));
        Optional<Sums> sum = upload.sum();
        if (sum.isEmpty()) {
            return kept;
        }
        String value =
                upload.isComposite() ? sum.get().composite(bytes) : sum.get().of(StoredObject.concatenated(bytes));
        if (!headers.first(sum.get().field()).orElse(value).equals(value)) {
            throw MemoryWrites.refused("BadDigest", "the checksum is " + value);
        }
        return kept.with(sum.get().field(), value)
                .with("x-amz-checksum-type", upload.isComposite() ? "COMPOSITE" : "FULL_OBJECT");
    }
}
