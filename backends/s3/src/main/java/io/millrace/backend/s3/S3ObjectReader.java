package io.millrace.backend.s3;

import io.millrace.backend.http.LengthCheckedBody;
import io.millrace.backend.http.ObjectResponseHead;
import io.millrace.backend.http.ReadResponseValidator;
import io.millrace.backend.http.SendableReadRequest;
import io.millrace.backend.http.StreamingResponse;
import io.millrace.backend.http.UnsatisfiableRangeErrors;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectReader;
import io.millrace.backend.spi.ReadRequest;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.function.BiFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * Reads objects of an S3 backend with HeadObject and GetObject.
 *
 * @param description completes an object's metadata from the headers of its response, or fails if that is not the
 *     server's
 */
record S3ObjectReader(S3Client client, BiFunction<ObjectHead, HttpHeaders, ObjectHead> description)
        implements ObjectReader {
    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return UnsatisfiableRangeErrors.completed(plainHead(request), request, this::plainHead);
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        SendableReadRequest call = SendableReadRequest.of(request);
        ErrorResponseContext context = ErrorResponseContext.read("GET", call);
        return client.open(S3ReadRequest.of(SdkHttpMethod.GET, call))
                .map(response -> content(request, context, response))
                .doOnDiscard(ObjectContent.class, ObjectContent::discard)
                .onErrorMap(failure -> client.failures().map(context, failure))
                .transform(opened -> UnsatisfiableRangeErrors.completed(opened, request, this::plainHead));
    }

    private Mono<HeadResult> plainHead(ReadRequest request) {
        SendableReadRequest call = SendableReadRequest.of(request);
        ErrorResponseContext context = ErrorResponseContext.read("HEAD", call);
        return client.open(S3ReadRequest.of(SdkHttpMethod.HEAD, call))
                .flatMap(response -> response.body().drain().thenReturn(response))
                .map(response -> validated(request, response, true))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    private HeadResult validated(ReadRequest request, StreamingResponse response, boolean head) {
        HeadResult result = new ReadResponseValidator(request, head(response), head).validate();
        return new HeadResult(description.apply(result.head(), response.headers()), result.range());
    }

    private static ObjectResponseHead head(StreamingResponse response) {
        return ObjectResponseHead.of(response.status(), AwsChunkedEncodingRemover.withoutAwsChunked(response.fields()));
    }

    private ObjectContent content(ReadRequest request, ErrorResponseContext context, StreamingResponse response) {
        HeadResult selected;
        try {
            selected = validated(request, response, false);
        } catch (BackendException unfit) {
            response.body().discard();
            throw unfit;
        }
        Flux<ByteBuf> measured = LengthCheckedBody.of(
                response.body(), selected.length(), failure -> client.failures().mapBodyFailure(context, failure));
        return new ObjectContent(selected.head(), selected.range(), measured);
    }
}
