package io.millrace.backend.hub;

import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.SendableReadRequest;
import io.millrace.backend.http.UnsatisfiableRangeErrors;
import io.millrace.backend.http.WebRequestExceptionMapper;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ReadRequest;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Reads files of repositories, always at a commit: a branch is resolved first. A request with an {@code Authorization}
 * header among its own is sent with that, and not with the operator's token.
 */
record HubObjectReader(
        HubClient client, RevisionResolver revisions, Credentials operator, WebRequestExceptionMapper failures)
        implements ObjectReader {
    private static final int OK = 200;

    /** A read of a file at a commit. */
    private record FileRead(ReadRequest request, RepositoryPath file, Revision revision, Credentials credentials) {
        String path() {
            return file.filePath(revision.commit());
        }
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return UnsatisfiableRangeErrors.completed(plainHead(request), request, this::plainHead);
    }

    private Mono<HeadResult> plainHead(ReadRequest request) {
        return prepared(request)
                .flatMap(read -> client.file("HEAD", read.path(), Optional.empty(), read.credentials())
                        .flatMap(response -> hasNoLength(response)
                                ? headByGet(read, response)
                                : response.response().body().drain().then(accepted(read, response, true))))
                .onErrorMap(failure -> failures.map("HEAD " + request.object(), failure));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        String name = "GET " + request.object();
        return prepared(request)
                .flatMap(read -> client.file(
                                "GET",
                                read.path(),
                                SendableReadRequest.of(request).range(),
                                read.credentials())
                        .flatMap(response -> accepted(read, response, false)
                                .map(head -> LengthCheckedBody.contentOf(
                                        head, response.response(), cause -> failures.mapBodyFailure(name, cause)))
                                .doOnError(unfit -> response.response().body().discard())))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .onErrorMap(failure -> failures.map(name, failure))
                .transform(opened -> UnsatisfiableRangeErrors.completed(opened, request, this::plainHead));
    }

    private Mono<FileRead> prepared(ReadRequest request) {
        return Mono.defer(() -> {
            RepositoryKind kind = RepositoryKind.require(request.object().bucket());
            RepositoryPath file = RepositoryPath.parse(
                            kind, request.object().key().value())
                    .filter(RepositoryPath::isFile)
                    .orElseThrow(() -> new BackendException(
                            FailureKind.NO_SUCH_KEY, "not of the form ORGANISATION/NAME/REVISION/PATH"));
            Credentials credentials = operator.orOwnOf(request);
            return revisions
                    .resolve(file, credentials)
                    .map(revision -> new FileRead(request, file, revision, credentials));
        });
    }

    private static boolean hasNoLength(FileResponse response) {
        return response.response().status() == OK
                && response.linked().isEmpty()
                && !response.response().headers().contains("content-length");
    }

    /** Gets the headers of a file where a HEAD does not tell its size; the body is not read. */
    private Mono<HeadResult> headByGet(FileRead read, FileResponse unsupported) {
        return unsupported
                .response()
                .body()
                .drain()
                .then(client.file("GET", read.path(), Optional.empty(), read.credentials()))
                .flatMap(response -> accepted(read, response, true)
                        .doFinally(end -> response.response().body().discard()));
    }

    /** Checks a response; its body is untouched if this succeeds. */
    private Mono<HeadResult> accepted(FileRead read, FileResponse response, boolean isHead) {
        FileResponseHead head = new FileResponseHead(read.request(), read.revision(), response, isHead);
        if (head.isSuccessful()) {
            return Mono.fromCallable(head::validate);
        }
        return head.invalidRange()
                .<Mono<HeadResult>>map(Mono::error)
                .orElseGet(() -> client.refused(response, read.credentials()));
    }
}
