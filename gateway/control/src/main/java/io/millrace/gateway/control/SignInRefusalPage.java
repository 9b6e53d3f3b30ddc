package io.millrace.gateway.control;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** The page that says why a person did not get in. It has no script, no style and nothing that came from elsewhere. */
final class SignInRefusalPage {
    private static final MediaType PAGE = MediaType.parseMediaType("text/html;charset=utf-8");

    private SignInRefusalPage() {}

    static Mono<ServerResponse> of(SignInRefusal refusal, boolean secure) {
        return ServerResponse.status(refusal.status())
                .contentType(PAGE)
                .cookie(SessionCookies.noSignIn(secure))
                .headers(SignInRefusalPage::protect)
                .bodyValue("""
                        <!doctype html>
                        <html lang="en"><meta charset="utf-8"><title>Millrace</title>
                        <h1>Not signed in</h1>
                        <p>%s</p>
                        <p><a href="/console/">Back to the console</a></p>
                        """.formatted(refusal.getMessage()));
    }

    /** Neither page nor redirect is stored, and none says where it came from: its address has a code. */
    static void protect(HttpHeaders headers) {
        headers.setCacheControl("no-store");
        headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("X-Frame-Options", "DENY");
        headers.set("Referrer-Policy", "no-referrer");
    }
}
