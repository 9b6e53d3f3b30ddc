package io.millrace.auth.session;

import io.millrace.auth.SessionAncestor;
import io.millrace.auth.policy.Principal;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rights that a session is issued for, and to whom.
 *
 * @param role the role's name in the settings file; empty for a session of an identity itself
 * @param name the client's own name for the session, which appears in logs; or the identity's name
 * @param subject who asked for it: issuer and subject of the identity provider's token that it goes back to, or an ARN
 * @param sourceIdentity the identity whose keys it goes back to; empty if it goes back to a provider's token
 * @param policy the session policy, in JSON; empty without one
 * @param tags claims of the provider's token that conditions of policies compare
 * @param ancestors the sessions by which it was asked for, one after another, with each of which it ends
 */
public record SessionGrant(
        String role,
        String name,
        String subject,
        String sourceIdentity,
        String policy,
        Map<String, String> tags,
        List<SessionAncestor> ancestors) {
    public SessionGrant {
        tags = Map.copyOf(tags);
        ancestors = List.copyOf(ancestors);
    }

    /** Creates a grant without tags and ancestors. */
    public SessionGrant(String role, String name, String subject, String sourceIdentity, String policy) {
        this(role, name, subject, sourceIdentity, policy, Map.of(), List.of());
    }

    /** Creates a grant to the owner of an identity provider's token. */
    public static SessionGrant toWebIdentity(String role, String name, String subject, String policy) {
        return new SessionGrant(role, name, subject, "", policy);
    }

    /** Returns this grant with tags. */
    public SessionGrant tagged(Map<String, String> sessionTags) {
        return new SessionGrant(role, name, subject, sourceIdentity, policy, sessionTags, ancestors);
    }

    /** Returns this grant as one that sessions have asked for, one after another. */
    public SessionGrant chained(List<SessionAncestor> sessions) {
        return new SessionGrant(role, name, subject, sourceIdentity, policy, tags, sessions);
    }

    /** Returns the issuer of the token of a person who signed in; empty if the grant is no person's. */
    Optional<String> issuerOfPerson() {
        return Principal.roleOfPerson(Principal.nameOfSession(role, name)).map(is -> subject.split(" ", 2)[0]);
    }

    /** Creates a grant to an identity, of its own rights. */
    public static SessionGrant toIdentity(String identity, String arn) {
        return new SessionGrant("", identity, arn, identity, "");
    }
}
