package io.millrace.gateway.s3.sts;

import io.millrace.auth.Credential;
import io.millrace.auth.SessionAncestor;
import io.millrace.auth.policy.Principal;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SessionGrant;
import io.millrace.auth.session.Sessions;
import io.millrace.gateway.s3.sts.StsException.Code;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The operations AssumeRole and GetSessionToken: issue credentials to the signer of the request. Thread-safe.
 *
 * @see <a href="https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html">API reference of
 * AssumeRole</a>
 * @see <a href="https://docs.aws.amazon.com/STS/latest/APIReference/API_GetSessionToken.html">API reference of
 *     GetSessionToken</a>
 */
record AssumeRoleOrGetSessionToken(RoleRegistry roles, Sessions sessions) {
    /** The longest session that a session may assume: AWS's limit of role chaining. */
    static final Duration LONGEST_OF_CHAIN = Duration.ofHours(1);

    /** The most sessions before the last one of a chain; its token names them all. */
    static final int MOST_ANCESTORS = 8;

    private static final Duration LONGEST_OF_IDENTITY = Duration.ofHours(12);
    private static final Set<String> OF_ASSUME_ROLE =
            new TreeSet<>(Set.of("Action", "Version", "RoleArn", "RoleSessionName", "DurationSeconds", "Policy"));
    private static final Set<String> OF_GET_SESSION_TOKEN =
            new TreeSet<>(Set.of("Action", "Version", "DurationSeconds"));

    IssuedCredentials assumeRole(Credential signer, StsParameters parameters, String requestId) {
        parameters.requireOnly(OF_ASSUME_ROLE);
        Principal caller = signer.principal();
        String name = parameters.sessionName();
        RoleSettings role = role(parameters.roleName(), caller);
        String identity = caller.isSession()
                ? Optional.ofNullable(caller.sourceIdentity()).orElse("")
                : caller.name();
        SessionGrant grant = new SessionGrant(
                        role.name(),
                        name,
                        // Of a chain from a provider's token, its owner: the ARN has a name that the client chose.
                        identity.isEmpty() ? caller.accountableName() : caller.arn(),
                        identity,
                        parameters.sessionPolicy())
                .chained(lineage(signer));
        return IssuedCredentials.issue(
                StsOperation.ASSUME_ROLE,
                grant,
                sessions,
                parameters.duration(longest(role, caller)),
                result -> result,
                requestId);
    }

    /** @param isTemporary whether the request has a session token */
    IssuedCredentials getSessionToken(
            Principal caller, boolean isTemporary, StsParameters parameters, String requestId) {
        parameters.requireOnly(OF_GET_SESSION_TOKEN);
        if (isTemporary) {
            throw new StsException(Code.ACCESS_DENIED, "Cannot call GetSessionToken with session credentials");
        }
        return IssuedCredentials.issue(
                StsOperation.GET_SESSION_TOKEN,
                SessionGrant.toIdentity(caller.name(), caller.arn()),
                sessions,
                parameters.duration(LONGEST_OF_IDENTITY),
                result -> result,
                requestId);
    }

    /** Returns the role if it may be assumed. The error does not tell whether it exists. */
    private RoleSettings role(String name, Principal caller) {
        return roles.find(name)
                // A session policy says nothing of roles, so it allows none.
                .filter(role -> role.trusts(caller) && !caller.isLimited())
                .orElseThrow(() -> new StsException(
                        Code.ACCESS_DENIED,
                        "User: %s is not authorized to perform: sts:AssumeRole on this role".formatted(caller.arn())));
    }

    private static List<SessionAncestor> lineage(Credential signer) {
        List<SessionAncestor> sessions = signer.lineage();
        if (sessions.size() > MOST_ANCESTORS) {
            throw new StsException(
                    Code.VALIDATION_ERROR,
                    ("%d sessions have been assumed one by another: assume the role with the keys or the token that"
                                    + " they go back to.")
                            .formatted(sessions.size()));
        }
        return sessions;
    }

    private static Duration longest(RoleSettings role, Principal caller) {
        boolean isShorter = role.maxDuration().compareTo(LONGEST_OF_CHAIN) <= 0;
        return isShorter || !caller.isSession() ? role.maxDuration() : LONGEST_OF_CHAIN;
    }
}
