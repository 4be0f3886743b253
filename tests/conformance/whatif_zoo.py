"""Small configurations of the models of other packages, with random weights, for `scripts/record_whatif.py --models`.

A model whose package is not installed is left out when it is made. The recordings hold the lines of those packages: they stay out of git.
"""

import importlib

FLOAT, LONG = "float32", "int64"
IDS = (LONG, "batch", "seq")
SMALL = {"num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 120, "max_position_embeddings": 96}
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}


def transformers(config, head, **settings):
    def make():
        package = importlib.import_module("transformers")
        return getattr(package, head)(getattr(package, config)(**settings))

    return make


def torchvision(name, module="torchvision.models", **settings):
    return lambda: getattr(importlib.import_module(module), name)(**({"weights": None} if name.islower() else {}), **settings)


def timm(name, module=None, **settings):
    """A model by its name, or, where that name fixes what is to be small, its class."""
    if module is not None:
        return lambda: getattr(importlib.import_module(f"timm.models.{module}"), name)(**settings)
    return lambda: importlib.import_module("timm").create_model(name, pretrained=False, **settings)


def text(family, head="ForCausalLM", mask=False, sizes=None, **settings):
    """A decoder or an encoder of text."""
    cache = {"use_cache": False} if head == "ForCausalLM" else {}
    make = transformers(f"{family}Config", f"{family}{head}", **{**SMALL, **TOKENS, **cache, **settings})
    return {"make": make, "sizes": sizes or {"batch": 2, "seq": 16}, "inputs": {"input_ids": IDS, **({"attention_mask": IDS} if mask else {})}}


def translator(family, head="ForConditionalGeneration", **settings):
    """An encoder and a decoder of text."""
    layers = {
        "encoder_layers": 1,
        "decoder_layers": 1,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "encoder_ffn_dim": 96,
        "decoder_ffn_dim": 96,
    }
    own = {"d_model": 64, "vocab_size": 120, "max_position_embeddings": 96, "use_cache": False, "decoder_start_token_id": 2, **layers}
    make = transformers(f"{family}Config", f"{family}{head}", **{**own, **TOKENS, **settings})
    return {
        "make": make,
        "sizes": {"batch": 2, "seq": 16, "target": 9},
        "inputs": {"input_ids": IDS, "attention_mask": IDS, "decoder_input_ids": (LONG, "batch", "target")},
    }


def picture(make, height=64, width=64, name="pixel_values", fixed=False, channels=3):
    """A model of images; `fixed`: of one size only."""
    sizes = {"batch": 2} if fixed else {"batch": 2, "height": height, "width": width}
    return {"make": make, "sizes": sizes, "inputs": {name: (FLOAT, "batch", channels, *((height, width) if fixed else ("height", "width")))}}


def vision(family, head="Model", fixed=True, **settings):
    own = {key: SMALL[key] for key in ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size")}
    return picture(transformers(f"{family}Config", f"{family}{head}", **{**own, "image_size": 64, "patch_size": 16, **settings}), fixed=fixed)


def sound(family, head="Model", name="input_values", **settings):
    own = {"num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 32}
    layers = {"conv_dim": (32, 32, 32), "conv_stride": (5, 2, 2), "conv_kernel": (10, 3, 3), "num_feat_extract_layers": 3}
    own |= {**layers, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4, "apply_spec_augment": False}
    return {
        "make": transformers(f"{family}Config", f"{family}{head}", **{**own, **settings}),
        "sizes": {"batch": 2, "seq": 1600},
        "inputs": {name: (FLOAT, "batch", "seq")},
    }


MAMBA = {"state_size": 8, "expand": 2, "conv_kernel": 4, "num_hidden_layers": 1, "hidden_size": 32, "vocab_size": 120}
CLIP_PART = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64}
CLIP_TEXT = {**CLIP_PART, "vocab_size": 120, "max_position_embeddings": 32, **TOKENS}
CLIP_IMAGE = {**CLIP_PART, "image_size": 32, "patch_size": 16}


def both(family, text_sizes, head="Model", **settings):
    """A tower for texts and one for images."""
    make = transformers(f"{family}Config", f"{family}{head}", text_config={**CLIP_TEXT, **settings}, vision_config=CLIP_IMAGE)
    inputs = {"input_ids": (LONG, *text_sizes), "pixel_values": (FLOAT, "batch", 3, 32, 32), "attention_mask": (LONG, *text_sizes)}
    return {"make": make, "sizes": {"batch": 2, "seq": 12, "texts": 3}, "inputs": inputs}


MODELS = {
    "mistral": text("Mistral", mask=True, num_key_value_heads=2, sliding_window=8),
    "tv_mobilenet_v3_small": picture(torchvision("mobilenet_v3_small"), name="x"),
    "bart": translator("Bart"),
    "swin": picture(transformers("SwinConfig", "SwinModel", image_size=64, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4), fixed=True),
    "gemma": text("Gemma", num_key_value_heads=1, head_dim=16),
    "hubert": sound("Hubert"),
    "timm_xcit": picture(timm("xcit_nano_12_p16_224", depth=2), name="x"),
    "mixtral": text("Mixtral", num_key_value_heads=2, num_local_experts=4),
    "roberta": text("Roberta", "ForMaskedLM", mask=True),
    "segformer": picture(
        transformers(
            "SegformerConfig",
            "SegformerForSemanticSegmentation",
            depths=[1, 1, 1, 1],
            hidden_sizes=[8, 16, 24, 32],
            num_attention_heads=[1, 2, 2, 4],
            decoder_hidden_size=16,
        )
    ),
    "tv_swin_v2": picture(
        torchvision(
            "SwinTransformer", "torchvision.models.swin_transformer", patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=[4, 4]
        ),
        name="x",
    ),
    "gpt_neox": text("GPTNeoX"),
    "albert": text("Albert", "Model", mask=True, embedding_size=32),
    "mamba": text("Mamba", **MAMBA),
    "vit": vision("ViT", "ForImageClassification"),
    "deberta_v2": text("DebertaV2", "Model", mask=True, relative_attention=True, position_buckets=8, pos_att_type=["p2c", "c2p"]),
    "tv_r3d_18": {
        "make": torchvision("r3d_18", "torchvision.models.video"),
        "sizes": {"batch": 2, "height": 32, "width": 32},
        "inputs": {"x": (FLOAT, "batch", 3, 8, "height", "width")},
    },
    "bloom": text("Bloom", n_layer=1, n_head=4),
    "owlvit": both("OwlViT", ("texts", "seq")),
    "dinov2": vision("Dinov2", fixed=False),
    "olmo2": text("Olmo2", num_key_value_heads=2),
    "speech_to_text": {
        "make": translator("Speech2Text", input_feat_per_channel=16, max_source_positions=96, max_target_positions=96, conv_channels=16, num_conv_layers=2)[
            "make"
        ],
        "sizes": {"batch": 2, "seq": 32, "target": 7},
        "inputs": {"input_features": (FLOAT, "batch", "seq", 16), "decoder_input_ids": (LONG, "batch", "target")},
    },
    "timm_convnext": picture(timm("convnext_atto", depths=(1, 1, 1, 1)), name="x"),
    "xlnet": {
        "make": transformers("XLNetConfig", "XLNetLMHeadModel", vocab_size=120, n_layer=1, d_model=64, n_head=4, d_inner=96),
        "sizes": {"batch": 2, "seq": 16},
        "inputs": {"input_ids": IDS},
    },
    "blip": both("Blip", ("batch", "seq"), "Model", encoder_hidden_size=32),
    "qwen3_moe": text("Qwen3Moe", num_key_value_heads=2, head_dim=16, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32),
    "beit": vision("Beit", use_relative_position_bias=True),
    "pegasus": translator("Pegasus"),
    "mobilevit": picture(
        transformers("MobileViTConfig", "MobileViTModel", image_size=64, hidden_sizes=[16, 24, 32], neck_hidden_sizes=[8, 8, 16, 16, 24, 32, 40]), fixed=False
    ),
    "electra": text("Electra", "ForPreTraining", mask=True, embedding_size=32),
    "timm_mixer": picture(timm("MlpMixer", "mlp_mixer", num_blocks=2, img_size=64, patch_size=16, embed_dim=32), fixed=True, name="x"),
    "gptj": text("GPTJ", n_layer=1, n_embd=64, n_head=4, rotary_dim=8, n_positions=96),
    "m2m_100": translator("M2M100"),
    "yolos": vision("Yolos", "ForObjectDetection", image_size=[64, 64], num_detection_tokens=10),
    "fnet": text("FNet", "Model"),
    "tv_lraspp": picture(torchvision("lraspp_mobilenet_v3_large", "torchvision.models.segmentation", weights_backbone=None), name="input"),
    "stablelm": text("StableLm", num_key_value_heads=2),
    "ast": {
        "make": transformers(
            "ASTConfig", "ASTModel", num_hidden_layers=1, hidden_size=32, num_attention_heads=4, intermediate_size=64, max_length=64, num_mel_bins=32
        ),
        "sizes": {"batch": 2},
        "inputs": {"input_values": (FLOAT, "batch", 64, 32)},
    },
    "patchtst": {
        "make": transformers(
            "PatchTSTConfig",
            "PatchTSTForPrediction",
            num_input_channels=3,
            context_length=32,
            patch_length=8,
            patch_stride=8,
            prediction_length=6,
            d_model=32,
            num_hidden_layers=1,
            num_attention_heads=4,
            ffn_dim=64,
        ),
        "sizes": {"batch": 2},
        "inputs": {"past_values": (FLOAT, "batch", 32, 3)},
    },
    "cohere": text("Cohere", num_key_value_heads=2),
    "timm_gcvit": picture(
        timm("GlobalContextVit", "gcvit", depths=(1, 1), num_heads=(2, 4), embed_dim=16, img_size=64, window_ratio=(8, 4)), fixed=True, name="x"
    ),
    "funnel": {
        "make": transformers(
            "FunnelConfig", "FunnelModel", vocab_size=120, block_sizes=[1, 1], num_decoder_layers=1, d_model=64, n_head=4, d_head=16, d_inner=96
        ),
        "sizes": {"batch": 2, "seq": 16},
        "inputs": {"input_ids": IDS, "attention_mask": IDS},
    },
    "tv_googlenet": picture(torchvision("googlenet", aux_logits=False, init_weights=False), name="x"),
    "phi": text("Phi"),
    "swinv2": picture(transformers("Swinv2Config", "Swinv2Model", image_size=64, embed_dim=16, depths=[2, 2], num_heads=[2, 4], window_size=4), fixed=True),
    "marian": translator("Marian", "MTModel"),
    "levit": picture(
        transformers("LevitConfig", "LevitModel", image_size=64, hidden_sizes=[16, 32, 48], num_attention_heads=[2, 2, 4], depths=[1, 1, 1], key_dim=[8, 8, 8]),
        fixed=True,
    ),
    "mpt": text("Mpt", d_model=64, n_heads=4, n_layers=1, expansion_ratio=2, max_seq_len=96),
    "decision": {
        "make": transformers(
            "DecisionTransformerConfig", "DecisionTransformerModel", hidden_size=32, n_layer=1, n_head=4, state_dim=5, act_dim=3, max_ep_len=64
        ),
        "sizes": {"batch": 2, "seq": 10},
        "inputs": {
            "states": (FLOAT, "batch", "seq", 5),
            "actions": (FLOAT, "batch", "seq", 3),
            "rewards": (FLOAT, "batch", "seq", 1),
            "returns_to_go": (FLOAT, "batch", "seq", 1),
            "timesteps": IDS,
            "attention_mask": IDS,
        },
    },
    "timm_volo": picture(timm("VOLO", "volo", layers=(1, 1, 1, 1), embed_dims=(32, 48, 48, 48), num_heads=(2, 4, 4, 4), img_size=64), fixed=True, name="x"),
    "mpnet": text("MPNet", "Model", mask=True),
    "qwen3": text("Qwen3", mask=True, num_key_value_heads=2, head_dim=16),
    "convbert": text("ConvBert", "Model", mask=True, embedding_size=32, conv_kernel_size=5),
    "deit": vision("DeiT"),
    "granite": text("Granite", num_key_value_heads=2),
    "timm_twins": picture(timm("twins_svt_small", depths=(1, 1, 1, 1), img_size=64), fixed=True, name="x"),
    "perceiver": {
        "make": transformers(
            "PerceiverConfig",
            "PerceiverForMaskedLM",
            num_latents=8,
            d_latents=32,
            d_model=32,
            num_blocks=1,
            num_self_attends_per_block=1,
            num_self_attention_heads=4,
            num_cross_attention_heads=4,
            vocab_size=60,
            max_position_embeddings=16,
        ),
        "sizes": {"batch": 2},
        "inputs": {"inputs": (LONG, "batch", 16), "attention_mask": (LONG, "batch", 16)},
    },
    "data2vec_audio": sound("Data2VecAudio"),
    "tv_convnext": picture(torchvision("convnext_tiny"), name="x"),
    "starcoder2": text("Starcoder2", num_key_value_heads=2),
    "pvt": picture(
        transformers("PvtConfig", "PvtModel", image_size=64, depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 24, 32], num_attention_heads=[1, 2, 2, 4]), fixed=True
    ),
    "reformer": text(
        "Reformer",
        "ModelWithLMHead",
        axial_pos_embds=False,
        attn_layers=["local"],
        attention_head_size=16,
        feed_forward_size=96,
        local_attn_chunk_length=8,
        is_decoder=True,
    ),
    "timm_mobilevitv2": picture(timm("mobilevitv2_050"), name="x"),
    "tv_maxvit": picture(
        torchvision(
            "MaxVit",
            "torchvision.models.maxvit",
            input_size=(64, 64),
            stem_channels=8,
            partition_size=4,
            block_channels=[8, 16],
            block_layers=[1, 1],
            head_dim=8,
            stochastic_depth_prob=0.1,
        ),
        fixed=True,
        name="x",
    ),
    "mobilebert": text("MobileBert", "Model", mask=True, embedding_size=32, intra_bottleneck_size=32, true_hidden_size=32),
    "convnextv2": picture(transformers("ConvNextV2Config", "ConvNextV2Model", depths=[1, 1, 1, 1], hidden_sizes=[8, 16, 24, 32])),
    "layoutlm": {
        "make": transformers("LayoutLMConfig", "LayoutLMModel", **SMALL),
        "sizes": {"batch": 2, "seq": 16},
        "inputs": {"input_ids": IDS, "bbox": (LONG, "batch", "seq", 4), "attention_mask": IDS},
    },
    "timm_halonet": picture(timm("lambda_resnet26t"), fixed=True, height=256, width=256, name="x"),
    "tv_densenet": picture(torchvision("DenseNet", "torchvision.models.densenet", growth_rate=8, block_config=(2, 2, 2), num_init_features=16), name="x"),
}
