package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.Begun;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.MultipartUploads.UploadQuery;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
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

/** Multipart uploads in memory. One step at a time. */
final class MemoryUploads {
    private static final Comparator<MemoryUpload> ORDER = Comparator.comparing(
                    (MemoryUpload upload) -> upload.object().object().key())
            .thenComparing(MemoryUpload::id);

    private final MemoryWrites writes;
    private final Supplier<Optional<String>> versions;
    private final Map<String, MemoryUpload> uploads = new TreeMap<>();
    private final Map<String, Completed> completed = new TreeMap<>();
    private long count;

    private record Completed(Upload upload, List<NamedPart> parts, Written written) {}

    MemoryUploads(MemoryWrites writes, Supplier<Optional<String>> versions) {
        this.writes = writes;
        this.versions = versions;
    }

    synchronized Begun create(NewObject object) {
        MemoryFields.kept(object.headers());
        MemoryUpload upload = new MemoryUpload("upload-%08d".formatted(++count), object, Instant.now());
        uploads.put(upload.id(), upload);
        return new Begun(new Upload(object.object(), upload.id()), upload.checksumFields());
    }

    Mono<StoredPart> putPart(Upload upload, int number, HeaderList headers, UploadBody body) {
        return Mono.defer(() -> {
            find(upload);
            checkNumber(number);
            HeaderList kept = MemoryFields.kept(headers);
            return MemoryWrites.collect(body)
                    .map(bytes -> store(upload, number, bytes, MemoryWrites.withTrailer(kept, body), Optional.empty()));
        });
    }

    synchronized StoredPart copyPart(
            Upload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        find(upload);
        checkNumber(number);
        byte[] bytes = writes.source(source).bytes();
        ByteRange wanted = range.orElse(null);
        if (wanted != null && wanted.last() >= bytes.length) {
            throw new BackendException(Kind.INVALID_RANGE, wanted + " is not within the source")
                    .ofObjectWithSize(bytes.length);
        }
        byte[] part = wanted == null ? bytes : Arrays.copyOfRange(bytes, (int) wanted.first(), (int) wanted.last() + 1);
        return store(upload, number, part, MemoryFields.kept(headers), Optional.of(Instant.now()));
    }

    synchronized Written complete(Upload upload, List<NamedPart> parts, HeaderList headers, WriteCondition condition) {
        Completed before = completed.get(upload.uploadId());
        if (before != null && before.upload().equals(upload) && before.parts().equals(parts)) {
            return before.written();
        }
        MemoryUpload found = find(upload);
        MemoryCompletion completion = new MemoryCompletion(found, parts, headers);
        StoredObject stored =
                StoredObject.ofParts(completion.bytes(), completion.fields(), Instant.now(), versions.get());
        NewObject object = new NewObject(upload.object(), HeaderList.EMPTY, condition);
        Written written = writes.store(object, stored, Optional.empty());
        uploads.remove(upload.uploadId());
        completed.put(upload.uploadId(), new Completed(upload, parts, written));
        return written;
    }

    synchronized void abort(Upload upload) {
        find(upload);
        uploads.remove(upload.uploadId());
    }

    synchronized PartPage listParts(Upload upload, int after, int maxParts) {
        MemoryUpload found = find(upload);
        List<ListedPart> behind = found.parts().tailMap(after, false).values().stream()
                .map(MemoryUpload.Part::listed)
                .toList();
        List<ListedPart> page = behind.subList(0, Math.min(maxParts, behind.size()));
        boolean more = !page.isEmpty() && page.size() < behind.size();
        return new PartPage(
                page,
                "STANDARD",
                found.checksumFields(),
                more ? Optional.of(page.get(page.size() - 1).number()) : Optional.empty());
    }

    synchronized UploadPage list(UploadQuery query) {
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
            Upload upload, int number, byte[] bytes, HeaderList fields, Optional<Instant> lastModified) {
        MemoryUpload found = find(upload);
        HeaderList sums = found.sums(bytes, MemoryFields.checksums(fields));
        ETag tag = ETag.strong(StoredObject.md5(bytes));
        found.parts().put(number, new MemoryUpload.Part(number, bytes, tag, Instant.now(), sums));
        return new StoredPart(number, tag, sums, lastModified);
    }

    private synchronized MemoryUpload find(Upload upload) {
        MemoryUpload found = uploads.get(upload.uploadId());
        if (found == null || !found.object().object().equals(upload.object())) {
            throw new BackendException(Kind.NO_SUCH_UPLOAD, "no upload " + upload.uploadId());
        }
        return found;
    }

    private static void checkNumber(int number) {
        if (number < 1 || number > MultipartUploads.MAX_PARTS) {
            throw MemoryWrites.refused("InvalidArgument", "parts are counted from 1 to 10,000, not " + number);
        }
    }
}
