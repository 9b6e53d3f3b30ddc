package io.millrace.backend.azure;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.CreatedUpload;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.UploadListPageBuilder;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.RangeSpec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Multipart uploads: Put Block, Get Block List and Put Block List. A part is an uncommitted block of the object itself,
 * whose id names upload and part; {@link UploadRecordBlobs} remembers the uploads. A completion, or any other write to
 * the key, discards the blocks of all uploads of that key, whose completions then fail: never is an object made of
 * parts of two.
 */
record BlockMultipartUploads(
        BlobClient client,
        BlobReader reader,
        BlobWriter writer,
        BlobCopier copier,
        UploadRecordBlobs records,
        BlockStampGenerator stamps)
        implements MultipartUploads {
    /** The largest body of one Put Block. */
    static final long MAX_PART_BYTES = 4000L << 20;

    private static final String UPLOAD = BlobMetadataCodec.PREFIX + BlobMetadataCodec.RESERVED + "upload";

    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        BlobRequestContext context = BlobRequestContext.write("creation of an upload of", object.object());
        return Mono.defer(() -> {
                    BlobNameRules.requireWritable(object.object());
                    return records.create(object);
                })
                .map(upload -> new CreatedUpload(upload, HeaderList.EMPTY))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        BlobRequestContext context = context("PUT of part %d of an upload of".formatted(number), upload);
        return Mono.defer(() -> {
                    BlobHeaderMapper.requireAccepted(headers);
                    BlobWriter.requireVerified(body);
                    return body.length() > MAX_PART_BYTES
                            ? Mono.error(BlobWriter.tooLarge("A part", MAX_PART_BYTES))
                            : records.read(upload);
                })
                .onErrorMap(failure -> client.failures().map(context, failure))
                .then(Mono.defer(() -> store(
                        new BlockId(upload.uploadId(), number, body.length() == 0, stamps.next()),
                        upload,
                        headers,
                        body,
                        failure -> client.failures().map(context, failure))));
    }

    /** Streams the bytes through this machine. */
    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        return copier.head(source)
                .map(head -> ReadRequest.of(source.object())
                        .withSelection(range.<ByteSelection>map(bytes -> new ByteSelection.RangeSelection(
                                        new RangeSpec.Bounded(bytes.first(), bytes.last())))
                                .orElseGet(ByteSelection.WholeObject::new))
                        .requireVersion(head.head().version()))
                .flatMap(reader::open)
                .flatMap(content -> putPart(upload, number, headers, UploadBody.of(content.length(), content.body())))
                .map(part -> {
                    BlockId block = UploadBlockList.block(upload, number, part.eTag());
                    return new StoredPart(number, part.eTag(), part.headers(), Optional.of(block.sent()));
                });
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        BlobRequestContext context = context("completion of an upload of", upload);
        CheckedPartList document = new CheckedPartList(upload, parts, headers);
        return Mono.fromRunnable(document::requireSupported)
                .then(records.read(upload))
                .flatMap(properties -> blocks(upload)
                        .map(blocks -> document.request(blocks, properties, UPLOAD, condition))
                        .flatMap(client::exchangeLong))
                .map(reply -> BlobWriter.written(reply, HeaderList.EMPTY))
                .onErrorMap(failure -> client.failures().map(context, failure))
                .onErrorResume(BackendException.class, failure -> explain(document, condition, failure))
                .flatMap(written -> forget(upload).thenReturn(written));
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        BlobRequestContext context = context("abort of an upload of", upload);
        return Mono.fromRunnable(() -> BlobHeaderMapper.requireAccepted(headers))
                .then(records.read(upload))
                .then(Mono.defer(() -> records.delete(upload)))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        BlobRequestContext context = context("list of the parts of an upload of", upload);
        return records.read(upload)
                .then(Mono.defer(() -> blocks(upload)))
                .map(blocks -> blocks.page(after, maxParts))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        BlobRequestContext context =
                BlobRequestContext.query("list of the uploads of " + query.bucket(), FailureKind.NO_SUCH_BUCKET);
        return Mono.defer(() -> {
                    BlobNameRules.requireContainer(query.bucket());
                    return records.list(query.bucket());
                })
                .map(all -> new UploadListPageBuilder(query).page(all))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    private Mono<StoredPart> store(
            BlockId block,
            MultipartUpload upload,
            HeaderList headers,
            UploadBody body,
            UnaryOperator<Throwable> failure) {
        BlobRequest request =
                BlobRequest.to("PUT", upload.object()).with("comp", "block").with("blockid", block.toBase64());
        StoredPart stored = new StoredPart(block.part(), block.eTag(), HeaderList.EMPTY, Optional.empty());
        // The service takes no empty block. The body is awaited all the same: it may fail.
        return block.empty()
                ? body.pieces()
                        .doOnNext(ByteBuf::release)
                        .then(client.upload(
                                request,
                                UploadBody.of(
                                        1,
                                        Flux.defer(() ->
                                                Flux.just(Unpooled.buffer(1).writeZero(1)))),
                                failure))
                        .thenReturn(stored)
                : client.upload(request.withHeaders(BlobWriter.contentMd5(headers)), body, failure)
                        .thenReturn(stored);
    }

    /**
     * Lists the blocks of an upload; there are none if the object exists without uncommitted ones, or does not exist.
     */
    private Mono<UploadBlockList> blocks(MultipartUpload upload) {
        return client.exchange(BlobRequest.to("GET", upload.object())
                        .with("comp", "blocklist")
                        .with("blocklisttype", "uncommitted"))
                .map(reply -> UploadBlockList.read(upload, reply))
                .onErrorResume(
                        BlobErrorException::isOfAMissingBlob, missing -> Mono.just(UploadBlockList.none(upload)));
    }

    /**
     * Explains why a completion failed by what is there now. One whose response was lost succeeds; one whose parts are
     * gone fails by its condition, if that does not hold.
     */
    private Mono<WriteResult> explain(CheckedPartList document, WriteCondition condition, BackendException failure) {
        boolean partsAreGone = failure.s3Error()
                .filter(error -> error.code().equals("InvalidPart"))
                .isPresent();
        return partsAreGone || failure.kind() == FailureKind.NO_SUCH_UPLOAD
                ? earlierCompletion(document)
                        .switchIfEmpty(Mono.defer(() -> partsAreGone
                                ? unlessConditionFails(document.upload(), condition, failure)
                                : Mono.error(failure)))
                : writer.orMissing(document.upload().object(), condition, failure);
    }

    /** Returns the result of the same completion, if it is what the object consists of. */
    private Mono<WriteResult> earlierCompletion(CheckedPartList document) {
        return client.exchange(BlobRequest.to("HEAD", document.upload().object()))
                .filter(reply -> reply.header(UPLOAD).equals(Optional.of(document.fingerprint())))
                .map(reply -> BlobWriter.written(reply, HeaderList.EMPTY))
                .onErrorResume(missing -> Mono.empty());
    }

    private Mono<WriteResult> unlessConditionFails(
            MultipartUpload upload, WriteCondition condition, BackendException failure) {
        if (condition instanceof WriteCondition.Unconditional) {
            return Mono.error(failure);
        }
        return reader.head(ReadRequest.of(upload.object()))
                .map(head -> WriteConditionHeaders.holds(condition, head.head().eTag()))
                .onErrorResume(
                        BackendException.class,
                        missing -> Mono.just(WriteConditionHeaders.holds(condition, Optional.empty())))
                .flatMap(holds -> Mono.error(
                        holds
                                ? failure
                                : new BackendException(
                                        FailureKind.PRECONDITION_FAILED, "a precondition does not hold")));
    }

    /** The object is complete: a record that cannot be deleted is only listed. */
    private Mono<Void> forget(MultipartUpload upload) {
        return records.delete(upload).onErrorResume(failure -> Mono.empty());
    }

    private static BlobRequestContext context(String what, MultipartUpload upload) {
        return BlobRequestContext.write(what, upload.object());
    }
}
