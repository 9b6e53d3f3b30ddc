package io.millrace.backend.s3;

import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * The head of a successful answer, taken before the SDK reads it. The SDK gets it without its fields: it would fail the whole
 * answer for a date it cannot parse, and spend time on parsing what nobody asks it for.
 */
final class RawHead {
    private static final ExecutionAttribute<RawHead> OF_REQUEST = new ExecutionAttribute<>("millrace.raw-head");

    private final AtomicReference<@Nullable SdkHttpResponse> head = new AtomicReference<>();

    /** Takes the head of the answer to the request that is being built. */
    void addTo(AwsRequestOverrideConfiguration.Builder override) {
        override.putExecutionAttribute(OF_REQUEST, this);
    }

    /**
     * The head of the last answer.
     *
     * @throws IllegalStateException if there was none
     */
    Answer answer() {
        SdkHttpResponse response = head.get();
        if (response == null) {
            throw new IllegalStateException("a response without a head");
        }
        return Answer.of(response);
    }

    /** Does it, for requests that want it. */
    static final class Taker implements ExecutionInterceptor {
        @Override
        public SdkHttpResponse modifyHttpResponse(Context.ModifyHttpResponse context, ExecutionAttributes attributes) {
            SdkHttpResponse response = context.httpResponse();
            RawHead wanted = attributes.getAttribute(OF_REQUEST);
            if (wanted == null || !response.isSuccessful()) {
                return response;
            }
            wanted.head.set(response);
            return response.toBuilder().headers(Map.of()).build();
        }
    }
}
