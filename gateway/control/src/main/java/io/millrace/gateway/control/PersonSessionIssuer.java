package io.millrace.gateway.control;

import io.millrace.auth.Sha256;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.BrowserSession;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SessionGrant;
import io.millrace.auth.session.Sessions;
import io.millrace.auth.session.SignInSettings;
import io.millrace.auth.session.WebIdentity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.springframework.http.HttpStatus;

/** Issues the session of a role to a person whom the identity provider names. */
record PersonSessionIssuer(Sessions sessions, RoleRegistry roles) {
    /** A name as a session can have it, but none like those that are made of the subject. */
    private static final Pattern NAME = Pattern.compile("(?!sub-)[A-Za-z0-9_+=,.@-]{2,64}");

    private static final int HASH_CHARACTERS = 32;

    private static final String EMAIL = "email";

    /** A session, and who has it. */
    record Issued(Principal principal, BrowserSession session) {}

    /** @throws SignInRefusal if the person has no role here */
    Issued issue(WebIdentity person, SignInSettings settings) throws SignInRefusal {
        RoleSettings role = settings.roles().stream()
                .map(roles::find)
                .flatMap(Optional::stream)
                .filter(one -> one.trusts(person))
                .findFirst()
                .orElseThrow(() -> new SignInRefusal(
                        HttpStatus.FORBIDDEN,
                        "You are who you are, but have no role here. Ask an administrator for one."));
        String name = Principal.sessionOfPerson(name(person, settings));
        try {
            SessionGrant grant = SessionGrant.toWebIdentity(
                            role.name(), name, person.issuer() + ' ' + person.subject(), "")
                    .tagged(role.tagsOf(person));
            BrowserSession session = sessions.issueToBrowser(grant, role.maxDuration());
            return new Issued(Principal.ofSession(role.name(), name, Map.of(), List.of(), List.of()), session);
        } catch (IllegalArgumentException longOrSeveral) {
            throw new SignInRefusal(
                    HttpStatus.FORBIDDEN,
                    "A claim that is to be a tag of your session has several values, or is too long. Tell an"
                            + " administrator.");
        }
    }

    /**
     * Returns the name of the session, which no two people share if the provider keeps the claim apart. An email must
     * be verified.
     */
    private static String name(WebIdentity person, SignInSettings settings) {
        List<String> names = person.claim(settings.nameClaim());
        boolean isOwn = !settings.nameClaim().equals(EMAIL)
                || person.claim("email_verified").equals(List.of("true"));
        return isOwn && names.size() == 1 && NAME.matcher(names.get(0)).matches()
                ? names.get(0)
                : "sub-"
                        + Sha256.hex(person.subject().getBytes(StandardCharsets.UTF_8))
                                .substring(0, HASH_CHARACTERS);
    }
}
