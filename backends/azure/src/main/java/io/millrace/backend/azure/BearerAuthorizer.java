package io.millrace.backend.azure;

import io.millrace.backend.http.AccessToken;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.kit.async.RenewingCache;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Adds an access token of Microsoft Entra ID to each request. */
final class BearerAuthorizer implements RequestAuthorizer {
    private final RenewingCache<AccessToken> tokens;
    private final Mono<Void> close;
    private volatile @Nullable AccessToken last;

    /** @param close closes the connections of the token source */
    BearerAuthorizer(RenewingCache<AccessToken> tokens, Mono<Void> close) {
        this.tokens = tokens;
        this.close = close;
    }

    @Override
    public Mono<SignableRequest> authorize(SignableRequest request) {
        return token().map(token -> request.with("authorization", token.toHeader()));
    }

    @Override
    public Mono<CopySourceAccess> grantRead(ObjectRef source, String url) {
        return token().map(token ->
                new CopySourceAccess(url, HeaderList.EMPTY.with("x-ms-copy-source-authorization", token.toHeader())));
    }

    @Override
    public void rejected() {
        AccessToken token = last;
        if (token != null) {
            tokens.invalidate(token);
        }
    }

    @Override
    public Mono<Void> close() {
        return close;
    }

    private Mono<AccessToken> token() {
        return tokens.get().doOnNext(token -> last = token);
    }
}
