package io.millrace.backend.gcs;

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
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.UploadListPageBuilder;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Multipart uploads: each part is an object that clients do not see, and the completion composes them.
 *
 * @param reader opens the sources of copied parts, as {@link ObjectReader#open}
 */
record GcsMultipartUploads(
        CompositeUploadStore uploads,
        PartStore parts,
        CompositeUploadCompleter completion,
        Function<ReadRequest, Mono<ObjectContent>> reader)
        implements MultipartUploads {
    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        return Mono.defer(() -> {
            HiddenObjectPrefix.requireWritable(object.object());
            NewObjectMetadata.of(object.headers());
            UploadChecksumSpec.of(object.headers());
            return uploads.create(object)
                    .map(created -> new CreatedUpload(created.upload(), created.checksumHeaders()));
        });
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        return uploads.find(upload)
                .flatMap(found -> parts.put(found, number, headers, body)
                        .map(part -> new StoredPart(
                                number, part.stored().eTag(), checksums(found, part), Optional.empty())));
    }

    /**
     * Copies a part. A whole object is rewritten at the server if its MD5 is known, which is the part's tag; everything
     * else goes through this process.
     *
     * @param source its metadata was read, and its conditions hold
     */
    Mono<StoredPart> copy(
            MultipartUpload upload,
            int number,
            ObjectRef object,
            ObjectDescription source,
            Optional<ByteRange> range,
            HeaderList headers) {
        return uploads.find(upload).flatMap(found -> {
            requireWithin(source, range);
            boolean isWhole = range.isEmpty() || range.get().length() == source.size();
            boolean needsBytes = PartStore.algorithmToCompute(found).isPresent();
            Mono<UploadedPart> part = isWhole && source.md5().isPresent() && !needsBytes
                    ? parts.rewrite(found, number, object, source)
                    : copyThroughHere(found, number, object, source, range, headers);
            return part.map(stored -> new StoredPart(
                    number,
                    stored.stored().eTag(),
                    checksums(found, stored),
                    stored.stored().lastModified()));
        });
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> named, HeaderList headers, WriteCondition condition) {
        return completion
                .complete(upload, named, headers, condition)
                .map(stored -> new WriteResult(Optional.of(stored.eTag()), stored.checksums(), Optional.empty()));
    }

    /** Deletes the parts twice: one that was being stored during the first time is there at the second. */
    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        return Mono.defer(() -> {
            NewObjectMetadata.of(headers);
            return uploads.find(upload).flatMap(found -> uploads.delete(found).then(uploads.delete(found)));
        });
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return uploads.find(upload)
                .flatMap(found -> parts.list(found).map(stored -> {
                    List<ListedPart> rest = stored.tailMap(after, false).values().stream()
                            .map(part -> listed(found, part))
                            .toList();
                    List<ListedPart> page = rest.subList(0, Math.min(maxParts, rest.size()));
                    Optional<Integer> next = page.isEmpty() || page.size() == rest.size()
                            ? Optional.empty()
                            : Optional.of(page.get(page.size() - 1).number());
                    return new PartPage(page, found.storageClass(), found.checksumHeaders(), next);
                }));
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return uploads.list(query.bucket()).map(all -> new UploadListPageBuilder(query).page(all));
    }

    private Mono<UploadedPart> copyThroughHere(
            UploadRecord upload,
            int number,
            ObjectRef object,
            ObjectDescription source,
            Optional<ByteRange> range,
            HeaderList headers) {
        ReadRequest all = ReadRequest.of(object).requireVersion(source.version());
        ReadRequest read = range.map(bytes -> all.withSelection(
                        new ByteSelection.RangeSelection(new RangeSpec.Bounded(bytes.first(), bytes.last()))))
                .orElse(all);
        return reader.apply(read)
                .flatMap(
                        content -> parts.put(upload, number, headers, UploadBody.of(content.length(), content.body())));
    }

    private static void requireWithin(ObjectDescription source, Optional<ByteRange> range) {
        if (range.isPresent() && range.get().last() >= source.size()) {
            throw new BackendException(
                            FailureKind.INVALID_RANGE,
                            "%s is not within %d bytes".formatted(range.get(), source.size()))
                    .withObjectSize(source.size());
        }
    }

    private static ListedPart listed(UploadRecord upload, UploadedPart part) {
        ListedPart all = part.listed();
        return new ListedPart(all.number(), all.eTag(), all.size(), all.lastModified(), checksums(upload, part));
    }

    /** Returns the checksum of the part by the algorithm of its upload. */
    private static HeaderList checksums(UploadRecord upload, UploadedPart part) {
        return upload.checksum()
                .map(wanted -> wanted.algorithm().headerName())
                .flatMap(name -> part.checksums().first(name).map(value -> HeaderList.EMPTY.with(name, value)))
                .orElse(HeaderList.EMPTY);
    }
}
