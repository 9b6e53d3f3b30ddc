package io.millrace.gateway.s3.server;

import io.millrace.backend.spi.GatewayHops;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.TierResponse;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.share.Party;
import java.util.List;
import java.util.OptionalLong;
import reactor.core.publisher.Mono;

/**
 * The place of this gateway among gateways that are each other's backends. Refuses requests that have come back, passes
 * on what the next gateway needs to know, and tells a gateway that asks how old a hit is.
 */
final class GatewayTiers {
    private final String id = GatewayHops.newId();
    private final String idForStores = GatewayHops.idForStores(id);
    private final GatewayHops ofClient = GatewayHops.NONE.with(id);

    /**
     * Returns the handling of a request that passed the gate; fails if the request has passed this gateway before.
     *
     * @param party the one that it is counted to
     */
    Mono<S3Response> serve(S3Request request, Party party, Mono<S3Response> handling) {
        GatewayHops hops = GatewayHops.parse(request.headers().first(GatewayHops.HEADER));
        if (hops.contains(id) || hops.endsWith(idForStores)) {
            // Whoever sent it here warns of its backend, once for many.
            return Mono.error(new S3Exception(S3ErrorCode.LOOP_DETECTED));
        }
        GatewayHops passed = hops.ids().isEmpty() ? ofClient : hops.with(id);
        TierRequest tier = new TierRequest(passed, mustRevalidate(request), party);
        Mono<S3Response> handled = handling.contextWrite(tier::writeTo);
        return hops.ids().isEmpty() ? handled : handled.map(GatewayTiers::withAge);
    }

    /** Of a write the header is a property of the object. */
    private static boolean mustRevalidate(S3Request request) {
        boolean isRead = request.method().equals("GET") || request.method().equals("HEAD");
        List<String> directives = request.headers().all("cache-control");
        return isRead
                && !directives.isEmpty()
                && RequestCacheControl.parse(directives).requiresRevalidation();
    }

    private static S3Response withAge(S3Response response) {
        OptionalLong millis = response.cacheStatus().map(CacheStatus::ageMillis).orElse(OptionalLong.empty());
        if (millis.isEmpty()) {
            return response;
        }
        HeaderList headers = response.headers()
                .with("age", Long.toString(CacheStatus.ageSeconds(millis.getAsLong())))
                .with(TierResponse.AGE_HEADER, Long.toString(millis.getAsLong()));
        return response.withHeaders(headers);
    }
}
