document.documentElement.className="js";try{const s=localStorage.getItem("ib-scheme");if(s==="light"||s==="dark")document.documentElement.dataset.ibScheme=s}catch{}
