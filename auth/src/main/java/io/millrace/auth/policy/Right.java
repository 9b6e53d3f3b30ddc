package io.millrace.auth.policy;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * A set of actions that an allow rule grants by one word, such as READ. Of the rights on objects none includes another;
 * ADMIN includes OPERATE, and that VIEW. Every action but that of listing all buckets belongs to one.
 */
public enum Right {
    /** Read objects and their metadata. */
    READ(EnumSet.range(PolicyAction.GET_OBJECT, PolicyAction.GET_OBJECT_LEGAL_HOLD)),
    /** List keys and uploads. */
    LIST(EnumSet.of(
            PolicyAction.LIST_BUCKET,
            PolicyAction.LIST_BUCKET_VERSIONS,
            PolicyAction.LIST_BUCKET_MULTIPART_UPLOADS,
            PolicyAction.GET_ACCELERATE_CONFIGURATION,
            PolicyAction.GET_ENCRYPTION_CONFIGURATION,
            PolicyAction.GET_BUCKET_OBJECT_LOCK_CONFIGURATION,
            PolicyAction.GET_BUCKET_REQUEST_PAYMENT,
            PolicyAction.GET_BUCKET_TAGGING,
            PolicyAction.GET_BUCKET_VERSIONING)),
    /** Write objects. */
    WRITE(EnumSet.range(PolicyAction.PUT_OBJECT, PolicyAction.LIST_MULTIPART_UPLOAD_PARTS)),
    /** Delete objects. */
    DELETE(EnumSet.of(PolicyAction.DELETE_OBJECT, PolicyAction.DELETE_OBJECT_VERSION)),
    /** See the state of the gateway and of its buckets and jobs, and no object. */
    VIEW(EnumSet.of(PolicyAction.VIEW)),
    /** Change what is cached and control jobs. */
    OPERATE(EnumSet.of(PolicyAction.VIEW, PolicyAction.OPERATE)),
    /** Create, delete and configure buckets, and run jobs. */
    ADMIN(rest());

    @SuppressWarnings("ImmutableEnumChecker") // an unmodifiable set
    private final Set<PolicyAction> actions;

    Right(Set<PolicyAction> actions) {
        this.actions = Collections.unmodifiableSet(actions);
    }

    /** Returns the right's name in the settings file. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns what the right allows. */
    public Set<PolicyAction> actions() {
        return actions;
    }

    /** Returns the action that the right is mostly about; jobs and the control plane need it. */
    public PolicyAction action() {
        return switch (this) {
            case READ -> PolicyAction.GET_OBJECT;
            case LIST -> PolicyAction.LIST_BUCKET;
            case WRITE -> PolicyAction.PUT_OBJECT;
            case DELETE -> PolicyAction.DELETE_OBJECT;
            case VIEW -> PolicyAction.VIEW;
            case OPERATE -> PolicyAction.OPERATE;
            case ADMIN -> PolicyAction.ADMINISTER;
        };
    }

    private static Set<PolicyAction> rest() {
        EnumSet<PolicyAction> rest = EnumSet.allOf(PolicyAction.class);
        rest.remove(PolicyAction.LIST_ALL_MY_BUCKETS);
        for (Right right : new Right[] {READ, LIST, WRITE, DELETE}) {
            rest.removeAll(right.actions);
        }
        return rest;
    }
}
