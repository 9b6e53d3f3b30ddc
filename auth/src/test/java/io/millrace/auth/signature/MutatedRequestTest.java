package io.millrace.auth.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.Authentication;
import io.millrace.auth.PayloadType;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignedRequest.Parameter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that changing any one signed part of a request makes the signature invalid. */
class MutatedRequestTest {
    private static final int REQUESTS = 400;
    private static final RequestSigner SIGNER =
            new RequestSigner(TestKeys.TRAINER, TestKeys.TRAINER_SECRET, "us-east-1");

    private final RequestVerifier verifier = TestKeys.verifier();

    @Test
    void noChangeOfAHeaderSignedRequestIsAccepted() throws Exception {
        RandomRequests requests = new RandomRequests(3);
        int mutants = 0;
        for (int i = 0; i < REQUESTS; i++) {
            SentRequest signed = signed(requests);
            assertThat(verifier.verify(signed)).isInstanceOf(Authentication.Signed.class);
            List<SentRequest> changed = changes(signed, requests);
            changed.addAll(headerChanges(signed, requests));
            mutants += refuseAll(changed);
        }
        assertThat(mutants).isGreaterThan(30 * REQUESTS);
    }

    @Test
    void noChangeOfAPresignedRequestIsAccepted() throws Exception {
        RandomRequests requests = new RandomRequests(4);
        int mutants = 0;
        for (int i = 0; i < REQUESTS; i++) {
            SentRequest signed = presigned(requests);
            assertThat(verifier.verify(signed)).isInstanceOf(Authentication.Signed.class);
            List<SentRequest> changed = changes(signed, requests);
            changed.addAll(presignedChanges(signed, requests));
            mutants += refuseAll(changed);
        }
        assertThat(mutants).isGreaterThan(30 * REQUESTS);
    }

    /** A signed request with its body's hash stated. */
    private static SentRequest signed(RandomRequests requests) {
        SentRequest sent = requests.next();
        Map<String, String> headers = new HashMap<>();
        sent.headers().forEach(header -> headers.put(header.getKey(), header.getValue()));
        PayloadType payload = new PayloadType.Sha256("0123456789abcdef".repeat(4));
        Map<String, String> added = SIGNER.sign(uri(sent), sent.method(), headers, payload, TestKeys.NOW);
        for (Map.Entry<String, String> header : added.entrySet()) {
            sent = sent.withHeader(header.getKey(), header.getValue());
        }
        return sent;
    }

    private static SentRequest presigned(RandomRequests requests) {
        SentRequest sent = requests.next();
        URI signed = SIGNER.presign(uri(sent), sent.method(), Duration.ofHours(1), TestKeys.NOW);
        return SentRequest.to(sent.method(), signed.getRawPath() + '?' + signed.getRawQuery());
    }

    private static URI uri(SentRequest sent) {
        StringBuilder uri =
                new StringBuilder("http://" + SentRequest.HOST + sent.rawPath().orElseThrow());
        for (int i = 0; i < sent.query().size(); i++) {
            Parameter parameter = sent.query().get(i);
            uri.append(i == 0 ? '?' : '&').append(RandomRequests.encoded(parameter.name(), false));
            uri.append('=').append(RandomRequests.encoded(parameter.value(), false));
        }
        return URI.create(uri.toString());
    }

    /** Mutations of both kinds of signature: method, path, query, host. */
    private static List<SentRequest> changes(SentRequest sent, RandomRequests requests) {
        List<SentRequest> changed = new ArrayList<>();
        for (String method : List.of("GET", "HEAD", "PUT", "POST", "DELETE", "get", "")) {
            if (!method.equals(sent.method())) {
                changed.add(sent.withMethod(method));
            }
        }
        changed.add(sent.withPath(other(sent.path(), requests)));
        changed.add(sent.withPath(sent.path() + '/'));
        changed.add(sent.withPath('/' + sent.path()));
        changed.add(sent.withPath(sent.path() + "/."));
        changed.add(sent.withParameter("extra", ""));
        changed.add(sent.withParameter("", ""));
        changed.add(sent.withHeaderChanged("host", "other.example"));
        changed.add(sent.withHeader("host", sent.header("host")));
        changed.add(sent.withoutHeader("host"));
        changed.add(sent.withHeader("x-amz-meta-more", "1"));
        for (Parameter parameter : Set.copyOf(sent.query())) {
            changed.add(sent.withParameterChanged(parameter.name(), other(parameter.value(), requests)));
            changed.add(sent.withParameterChanged(parameter.name(), parameter.value() + ' '));
            changed.add(sent.withoutParameter(parameter.name()));
            changed.add(sent.withParameter(parameter.name(), parameter.value()));
        }
        return changed;
    }

    private static List<SentRequest> headerChanges(SentRequest sent, RandomRequests requests) {
        List<SentRequest> changed = new ArrayList<>();
        String authorization = sent.header("authorization");
        for (String name : sent.headerNames()) {
            String value = sent.header(name);
            changed.add(sent.withHeaderChanged(name, otherInk(value, requests)));
            changed.add(sent.withHeader(name, value));
            if (!name.equals("authorization")) {
                changed.add(sent.withoutHeader(name));
            }
        }
        for (String[] swap : new String[][] {
            {"us-east-1", "us-east-2"},
            {"/s3/", "/sts/"},
            {"20261120", "20261119"},
            {"aws4_request", "aws4_requests"},
            {TestKeys.TRAINER, TestKeys.ADMIN},
            {TestKeys.TRAINER, "NOBODY01"},
            {"host;", ""},
            {"Signature=", "Signature=0"},
            {"AWS4-HMAC-SHA256", "AWS4-HMAC-SHA1"}
        }) {
            changed.add(sent.withHeaderChanged("authorization", authorization.replace(swap[0], swap[1])));
        }
        changed.add(sent.withHeaderChanged("x-amz-date", "20261120T120001Z"));
        changed.add(sent.withHeaderChanged("x-amz-content-sha256", "UNSIGNED-PAYLOAD"));
        return changed;
    }

    private static List<SentRequest> presignedChanges(SentRequest sent, RandomRequests requests) {
        List<SentRequest> changed = new ArrayList<>();
        String signature = sent.parameter("X-Amz-Signature");
        changed.add(sent.withParameterChanged("X-Amz-Signature", other(signature, requests)));
        changed.add(sent.withParameterChanged("X-Amz-Signature", signature.substring(1)));
        changed.add(sent.withParameterChanged("X-Amz-Signature", ""));
        changed.add(sent.withParameterChanged("X-Amz-Expires", "3601"));
        changed.add(sent.withParameterChanged("X-Amz-Expires", "03600"));
        changed.add(sent.withParameterChanged("X-Amz-Date", "20261120T120001Z"));
        changed.add(
                sent.withParameterChanged("X-Amz-SignedHeaders", "host;range").withHeader("range", "bytes=0-1"));
        changed.add(sent.withParameter("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD"));
        String credential = sent.parameter("X-Amz-Credential");
        for (String other : List.of(
                credential.replace(TestKeys.TRAINER, TestKeys.ADMIN),
                credential.replace(TestKeys.TRAINER, "NOBODY01"),
                credential.replace("us-east-1", "us-east-2"),
                credential.replace("20261120", "20261119"))) {
            changed.add(sent.withParameterChanged("X-Amz-Credential", other));
        }
        return changed;
    }

    private int refuseAll(List<SentRequest> changed) {
        for (SentRequest sent : changed) {
            assertThatThrownBy(() -> verifier.verify(sent))
                    .as(sent::toString)
                    .isInstanceOf(RequestVerificationException.class);
        }
        return changed.size();
    }

    /** {@code text} with one character another. */
    private static String other(String text, RandomRequests requests) {
        if (text.isEmpty()) {
            return "x";
        }
        int at = text.offsetByCodePoints(0, requests.number(text.codePointCount(0, text.length())));
        int c = text.codePointAt(at);
        return text.substring(0, at) + (c == 'x' ? 'y' : 'x') + text.substring(at + Character.charCount(c));
    }

    /** Replaces a character of a header that is not white space, because runs of white space count as one. */
    private static String otherInk(String text, RandomRequests requests) {
        String changed = other(text, requests);
        while (changed.replaceAll(" +", " ")
                .strip()
                .equals(text.replaceAll(" +", " ").strip())) {
            changed = other(text, requests);
        }
        return changed;
    }
}
