package io.millrace.backend.azure;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import reactor.core.publisher.Mono;

/** Sends requests as they are, for public containers. */
final class AnonymousAuthorizer implements RequestAuthorizer {
    @Override
    public Mono<SignableRequest> authorize(SignableRequest request) {
        return Mono.just(request);
    }

    @Override
    public Mono<CopySourceAccess> grantRead(ObjectRef source, String url) {
        return Mono.just(new CopySourceAccess(url, HeaderList.EMPTY));
    }
}
