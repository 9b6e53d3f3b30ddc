package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.CreatedUpload;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/** Stores multipart uploads in memory. Steps are serialized. */
final class MemoryUploadStore {
    private static final Comparator<MemoryUpload> ORDER = Comparator.comparing(
                    (MemoryUpload upload) -> upload.object().object().key())
            .thenComparing(MemoryUpload::id);

    private final MemoryWriter writes;
    private final Supplier<Optional<String>> versions;
    private final Map<String, MemoryUpload> uploads = new TreeMap<>();
    private final Map<String, CompletedUpload> completed = new TreeMap<>();
    private long count;

    private record CompletedUpload(MultipartUpload upload, List<CompletedPart> parts, WriteResult written) {}

    MemoryUploadStore(MemoryWriter writes, Supplier<Optional<String>> versions) {
        this.writes = writes;
        this.versions = versions;
    }

    synchronized CreatedUpload create(NewObject object) {
        WriteHeaderPolicy.storable(InMemoryBackend.TYPE, object.headers());
        MemoryUpload upload = new MemoryUpload("upload-%08d".formatted(++count), object, Instant.now());
        uploads.put(upload.id(), upload);
        return new CreatedUpload(new MultipartUpload(object.object(), upload.id()), upload.checksumFields());
    }

    Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return Mono.defer(() -> {
            find(upload);
            checkNumber(number);
            HeaderList kept = WriteHeaderPolicy.storable(InMemoryBackend.TYPE, headers);
            return MemoryWriter.collect(body)
                    .map(bytes -> store(upload, number, bytes, MemoryWriter.withTrailer(kept, body), Optional.empty()));
        });
    }

    synchronized StoredPart copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        find(upload);
        checkNumber(number);
        byte[] bytes = writes.source(source).bytes();
        ByteRange wanted = range.orElse(null);
        if (wanted != null && wanted.last() >= bytes.length) {
            throw new BackendException(FailureKind.INVALID_RANGE, wanted + " is not within the source")
                    .withObjectSize(bytes.length);
        }
        byte[] part = wanted == null ? bytes : Arrays.copyOfRange(bytes, (int) wanted.first(), (int) wanted.last() + 1);
        HeaderList kept = WriteHeaderPolicy.storable(InMemoryBackend.TYPE, headers);
        return store(upload, number, part, kept, Optional.of(Instant.now()));
    }

    synchronized WriteResult complete(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        CompletedUpload before = completed.get(upload.uploadId());
        if (before != null && before.upload().equals(upload) && before.parts().equals(parts)) {
            return before.written();
        }
        MemoryUpload found = find(upload);
        MemoryCompletion completion = new MemoryCompletion(found, parts, headers);
        MemoryObject stored =
                MemoryObject.ofParts(completion.bytes(), completion.fields(), Instant.now(), versions.get());
        NewObject object = new NewObject(upload.object(), HeaderList.EMPTY, condition);
        WriteResult written = writes.store(object, stored, Optional.empty());
        uploads.remove(upload.uploadId());
        completed.put(upload.uploadId(), new CompletedUpload(upload, parts, written));
        return written;
    }

    synchronized void abort(MultipartUpload upload) {
        find(upload);
        uploads.remove(upload.uploadId());
    }

    synchronized PartPage listParts(MultipartUpload upload, int after, int maxParts) {
        MemoryUpload found = find(upload);
        List<ListedPart> behind = found.parts().tailMap(after, false).values().stream()
                .map(MemoryUpload.MemoryPart::listed)
                .toList();
        List<ListedPart> page = behind.subList(0, Math.min(maxParts, behind.size()));
        boolean more = !page.isEmpty() && page.size() < behind.size();
        return new PartPage(
                page,
                "STANDARD",
                found.checksumFields(),
                more ? Optional.of(page.get(page.size() - 1).number()) : Optional.empty());
    }

    synchronized UploadPage list(ListUploadsRequest query) {
        List<MemoryUpload> sorted = new ArrayList<>(uploads.values());
        sorted.removeIf(upload -> !upload.object().object().bucket().equals(query.bucket()));
        sorted.sort(ORDER);
        return MemoryUploadListing.page(sorted, query);
    }

    /** A bucket that is deleted takes its uploads along. */
    synchronized void removeAll(BucketName bucket) {
        uploads.values().removeIf(upload -> upload.object().object().bucket().equals(bucket));
    }

    private synchronized StoredPart store(
            MultipartUpload upload, int number, byte[] bytes, HeaderList fields, Optional<Instant> lastModified) {
        MemoryUpload found = find(upload);
        HeaderList sums = found.checksums(bytes, WriteHeaderPolicy.checksums(fields));
        ETag tag = ETag.strong(ReferenceChecksum.md5(bytes));
        found.parts().put(number, new MemoryUpload.MemoryPart(number, bytes, tag, Instant.now(), sums));
        return new StoredPart(number, tag, sums, lastModified);
    }

    private synchronized MemoryUpload find(MultipartUpload upload) {
        MemoryUpload found = uploads.get(upload.uploadId());
        if (found == null || !found.object().object().equals(upload.object())) {
            throw new BackendException(FailureKind.NO_SUCH_UPLOAD, "no upload " + upload.uploadId());
        }
        return found;
    }

    private static void checkNumber(int number) {
        if (number < 1 || number > MultipartUploads.MAX_PARTS) {
            throw MemoryWriter.s3Error("InvalidArgument", "parts are counted from 1 to 10,000, not " + number);
        }
    }
}
